import { CHECKS } from '#oracle';
import type { Report, ReportCheck, ReportThreshold } from '../report.ts';
import { escapeMarkup } from '../html/escape-markup.ts';

interface TestCase {
  readonly suite: string;
  readonly name: string;
  /** Null: it held. */
  readonly failure: { readonly message: string; readonly text: string } | null;
}

/**
 * The report as JUnit XML, for the test page of a build server: one case for the run itself, for each
 * threshold and for each check. A check that is inconclusive is a failure: it did not show that the promise
 * holds.
 */
export function renderJUnit(report: Report): string {
  const cases = [
    runCase(report),
    ...report.thresholds.map(thresholdCase),
    ...CHECKS.flatMap((check) => {
      const verdict = report.oracle[check];
      return verdict === undefined ? [] : [checkCase(check, verdict)];
    }),
  ];
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const seconds = (report.duration_ms / 1_000).toFixed(3);
  const name = escapeMarkup(`${report.name} ${report.run_id}`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="${cases.length}" failures="${failures}" time="${seconds}">
  <testsuite name="${name}" tests="${cases.length}" failures="${failures}" time="${seconds}">
${cases.map(renderCase).join('\n')}
  </testsuite>
</testsuites>
`;
}

function runCase({ status, reason, summary }: Report): TestCase {
  const faults = [
    ...(status === 'Failed' ? [`the run failed: ${reason ?? 'no reason was given'}`] : []),
    ...(summary.is_balanced ? [] : ['the counts of the run do not add up']),
  ];
  const failure = faults.length === 0 ? null : { message: faults.join('; '), text: JSON.stringify(summary) };
  return { suite: 'run', name: 'completes', failure };
}

function thresholdCase({ metric, min, max, value, is_met }: ReportThreshold): TestCase {
  const bound = [min === null ? '' : `≥ ${min}`, max === null ? '' : `≤ ${max}`]
    .filter(Boolean)
    .join(' and ');
  const message = `expected ${metric} ${bound}, measured ${value ?? 'nothing'}`;
  return {
    suite: 'threshold',
    name: `${metric} ${bound}`,
    failure: is_met ? null : { message, text: message },
  };
}

function checkCase(
  check: string,
  { verdict, coverage, violation_count, violations, gaps }: ReportCheck,
): TestCase {
  const covered = `${coverage.checked} of ${coverage.total} checked`;
  const message = `${verdict}: ${violation_count} violations, ${covered}`;
  const text = JSON.stringify(verdict === 'fail' ? violations : gaps, null, 2);
  return { suite: 'oracle', name: check, failure: verdict === 'pass' ? null : { message, text } };
}

function renderCase({ suite, name, failure }: TestCase): string {
  const head = `    <testcase classname="${suite}" name="${escapeMarkup(name)}"`;
  if (failure === null) return `${head}/>`;
  return `${head}>
      <failure message="${escapeMarkup(failure.message)}">${escapeMarkup(failure.text)}</failure>
    </testcase>`;
}
