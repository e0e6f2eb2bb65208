import { type Evaluation, type RuleResult, type RuleTestResult, SEVERITIES, type Severity } from '#policy';
import { formatTable } from '../format/table.ts';
import { junitReport } from './junit.ts';
import type { ReportedFinding, ReportLine } from './rule-report.ts';
import { sarifReport } from './sarif.ts';

export type ReportFormat = 'table' | 'json' | 'junit' | 'sarif';

/** An evaluation in one of the formats that the command knows. */
export function evaluationReport(evaluation: Evaluation, format: ReportFormat): string {
  const lines = evaluation.results.map(lineOf);
  switch (format) {
    case 'json':
      return `${JSON.stringify(evaluation, null, 2)}\n`;
    case 'junit':
      return junitReport('plexus policy evaluate', lines);
    case 'sarif':
      return sarifReport(lines);
    case 'table':
      return `${evaluationTable(evaluation)}\n`;
  }
}

/** Results of rules' own tests. */
export function testReport(
  results: readonly RuleTestResult[],
  format: Exclude<ReportFormat, 'sarif'>,
): string {
  if (format === 'json') return `${JSON.stringify(results, null, 2)}\n`;
  if (format === 'junit') return junitReport('plexus policy test', results.map(testLine));
  const rows = results.map(({ ruleId, test, isPassed, message }) => [
    isPassed ? 'pass' : 'FAIL',
    ruleId,
    test,
    message,
  ]);
  return `${formatTable(['result', 'rule', 'test', 'why'], rows)}\n`;
}

/** Rules that failed or broke, of this severity and worse ones. */
export function failuresFrom(evaluation: Evaluation, severity: Severity): readonly RuleResult[] {
  const rank = SEVERITIES.indexOf(severity);
  return evaluation.results.filter(
    (result) =>
      (result.status === 'Fail' || result.status === 'Error') && SEVERITIES.indexOf(result.severity) <= rank,
  );
}

function evaluationTable({
  results,
  pass,
  fail,
  error,
  skipped,
  waived,
  duration_ms: ms,
}: Evaluation): string {
  const rows = results.map((result) => [
    result.status,
    result.severity,
    result.rule_id,
    String(result.violation_count),
    String(result.waived_count),
    remarkOn(result),
  ]);
  const counts = `${pass} pass, ${fail} fail, ${error} error, ${skipped} skipped, ${waived} waived violations`;
  const table = formatTable(['status', 'severity', 'rule', 'violations', 'waived', 'first, or why'], rows);
  return `${table}\n${counts}, ${ms.toFixed(1)} ms`;
}

/** A rule that found nothing may have asked for what is not there. */
function remarkOn(result: RuleResult): string {
  return result.error ?? (examplesOf(result) || (result.warnings?.[0]?.message ?? ''));
}

function examplesOf(result: RuleResult): string {
  return lineOf(result)
    .findings.filter(({ waived }) => waived === undefined)
    .slice(0, 3)
    .map(({ label }) => label)
    .join(', ');
}

function lineOf(result: RuleResult): ReportLine {
  const {
    rule_id: ruleId,
    name,
    severity,
    violation_count: count,
    error,
    violations,
    warnings = [],
  } = result;
  return {
    ruleId,
    name,
    severity,
    status: statusOf(result),
    message: error ?? (count === 1 ? '1 violation' : `${count} violations`),
    findings: violations.map(findingOf),
    warnings: warnings.map(({ message }) => message),
    seconds: result.duration_ms / 1_000,
  };
}

function statusOf({ status }: RuleResult): ReportLine['status'] {
  const words = { Pass: 'pass', Fail: 'fail', Error: 'error', Skipped: 'skipped' } as const;
  return words[status];
}

function findingOf({
  finding_id: findingId,
  type,
  key,
  display_name: name,
  waived,
}: RuleResult['violations'][number]): ReportedFinding {
  const label = type === null || key === null ? name : `${type}/${key}`;
  return { findingId, label, ...(waived && { waived: waived.reason }) };
}

function testLine({ ruleId, test, isPassed, message }: RuleTestResult): ReportLine {
  const status = isPassed ? 'pass' : 'fail';
  return { ruleId, name: test, severity: 'test', status, message, findings: [], warnings: [], seconds: 0 };
}
