import { CHECKS, type Check } from '#load/oracle';
import type { Report, ReportThreshold } from '../data/report.ts';
import { escapeMarkup } from './markup.ts';
import { boundOf } from '../verdict/reason-rules.ts';
import type { ReasonCode } from '../verdict/run-verdict.ts';

interface TestCase {
  readonly suite: string;
  readonly name: string;
  readonly outcome: Outcome;
  /** Duration of the case; only that of the run has one. */
  readonly seconds?: string;
}

type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'skipped'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly text: string };

const MS_PER_S = 1_000;
const PASSED: Outcome = { kind: 'passed' };

/** Expectations of transactions that no check of the oracle covers. */
const TRANSACTION_CASES: readonly TransactionCase[] = [
  { name: 'acknowledged transactions are in a block', code: 'acked_lost', open: 'acked_undecided' },
  { name: 'transactions expected to fail are not accepted', code: 'expect_unmet' },
];

interface TransactionCase {
  readonly name: string;
  readonly code: ReasonCode;
  /** The reason for which it is undecided. */
  readonly open?: ReasonCode;
}

/**
 * The report as JUnit XML, for the test page of a build server: one case for the run itself, for each
 * threshold, for each check, and for each expectation of transactions. Unchecked cases are skipped, with the
 * reason.
 */
export function renderJUnit(report: Report): string {
  const seconds = (report.duration_ms / MS_PER_S).toFixed(3);
  const cases = [
    { ...runCase(report), seconds },
    ...report.thresholds.map(thresholdCase),
    ...CHECKS.map((check) => checkCase(check, report)),
    ...TRANSACTION_CASES.map((expectation) => transactionCase(report, expectation)),
  ];
  const countOf = (kind: Outcome['kind']): number =>
    cases.filter(({ outcome }) => outcome.kind === kind).length;
  const name = escapeMarkup(`${report.name} ${report.run_id}`);
  const counts = [
    `tests="${cases.length}" failures="${countOf('failed')}"`,
    `errors="0" skipped="${countOf('skipped')}"`,
  ].join(' ');
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites ${counts} time="${seconds}">
  <testsuite name="${name}" ${counts} time="${seconds}">
    <properties>
      <property name="verdict" value="${escapeMarkup(report.verdict.state)}"/>
      <property name="headline" value="${escapeMarkup(report.headline)}"/>
    </properties>
${cases.map(renderCase).join('\n')}
  </testsuite>
</testsuites>
`;
}

function runCase({ verdict, summary }: Report): TestCase {
  const faults = verdict.reasons.filter(({ code }) => code === 'run_failed' || code === 'counts_unbalanced');
  const message = faults.map((fault) => fault.message).join('; ');
  const outcome: Outcome =
    faults.length === 0 ? PASSED : { kind: 'failed', message, text: JSON.stringify(summary) };
  return { suite: 'run', name: 'completes', outcome };
}

function thresholdCase(threshold: ReportThreshold): TestCase {
  const { metric, value, is_met: isMet } = threshold;
  const name = `${metric} ${boundOf(threshold)}`;
  const message = `expected ${name}, measured ${value ?? 'nothing'}`;
  if (isMet === null) return { suite: 'threshold', name, outcome: { kind: 'skipped', message } };
  return { suite: 'threshold', name, outcome: isMet ? PASSED : { kind: 'failed', message, text: message } };
}

function checkCase(check: Check, { oracle, verdict }: Report): TestCase {
  const found = oracle[check];
  const reason = verdict.reasons.find(({ code }) => code.startsWith(`${check}_`));
  const message = reason?.message ?? '';
  if (found?.verdict === 'fail') {
    const text = JSON.stringify(found.violations, null, 2);
    return { suite: 'oracle', name: check, outcome: { kind: 'failed', message, text } };
  }
  return {
    suite: 'oracle',
    name: check,
    outcome: reason === undefined ? PASSED : { kind: 'skipped', message },
  };
}

function transactionCase({ verdict }: Report, { name, code, open }: TransactionCase): TestCase {
  const broken = verdict.reasons.find((reason) => reason.code === code);
  if (broken !== undefined) {
    const { message } = broken;
    return { suite: 'transactions', name, outcome: { kind: 'failed', message, text: message } };
  }
  const undecided = verdict.reasons.find(
    (reason) => reason.code === 'counts_missing' || reason.code === open,
  );
  const outcome: Outcome = undecided === undefined ? PASSED : { kind: 'skipped', message: undecided.message };
  return { suite: 'transactions', name, outcome };
}

function renderCase({ suite, name, outcome, seconds = '0.000' }: TestCase): string {
  const head = `    <testcase classname="${suite}" name="${escapeMarkup(name)}" time="${seconds}"`;
  if (outcome.kind === 'passed') return `${head}/>`;
  const message = escapeMarkup(outcome.message);
  const body =
    outcome.kind === 'skipped'
      ? `<skipped message="${message}"/>`
      : `<failure message="${message}">${escapeMarkup(outcome.text)}</failure>`;
  return `${head}>
      ${body}
    </testcase>`;
}
