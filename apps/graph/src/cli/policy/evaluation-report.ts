import {
  cutFindings,
  type Evaluation,
  type ReportedFinding,
  type ReportLine,
  type Rule,
  type RuleResult,
  type RuleTestResult,
  SARIF_RESULTS_MAX,
  sarifReport,
  SEVERITIES,
  type Severity,
  type SourcePlace,
} from '#graph/policy';
import { formatTable } from '#platform/cli';
import { countedText } from '#platform/foundation';
import { junitReport } from './junit.ts';

export type ReportFormat = 'table' | 'json' | 'junit' | 'sarif';

/** The attributes of rules that a report shows. */
export interface DescribedRule extends Pick<Rule, 'id' | 'description' | 'remediation' | 'frameworks'> {
  /** Known for a rule of a file in the repository or below the current directory. */
  readonly place?: SourcePlace;
}

export interface ReportOptions {
  readonly format: ReportFormat;
  readonly rules: readonly DescribedRule[];
  /** Maximum number of findings in SARIF and JUnit, most severe first. Default: all. */
  readonly maxResults?: number;
}

/** An evaluation in one of the formats of the command. */
export function evaluationReport(
  evaluation: Evaluation,
  { format, rules, maxResults = Infinity }: ReportOptions,
): string {
  if (format === 'json') return `${JSON.stringify(evaluation, null, 2)}\n`;
  if (format === 'table') return `${evaluationTable(evaluation)}\n`;
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const lines = evaluation.results.map((result) => lineOf(result, byId.get(result.rule_id)));
  if (format === 'junit') return junitReport('plexus policy evaluate', cutFindings(lines, maxResults));
  return sarifReport(cutFindings(lines, Math.min(maxResults, SARIF_RESULTS_MAX)));
}

/** Results of the tests in rule files. */
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

/** Which results of rules make the command fail. */
export interface FailOn {
  readonly severity: Severity;
  readonly statuses: readonly RuleResult['status'][];
}

/** Rules of at least this severity with one of these results. */
export function failuresFrom(evaluation: Evaluation, { severity, statuses }: FailOn): readonly RuleResult[] {
  const rank = SEVERITIES.indexOf(severity);
  return evaluation.results.filter(
    (result) => statuses.includes(result.status) && SEVERITIES.indexOf(result.severity) <= rank,
  );
}

/** What needs attention first, the most severe first. */
const STATUS_ORDER: readonly RuleResult['status'][] = ['Fail', 'Error', 'NoData', 'Skipped', 'Pass'];

function evaluationTable(evaluation: Evaluation): string {
  const rank = ({ status, severity }: RuleResult): number =>
    STATUS_ORDER.indexOf(status) * SEVERITIES.length + SEVERITIES.indexOf(severity);
  const sorted = evaluation.results.toSorted((a, b) => rank(a) - rank(b));
  const rows = sorted.map((result) => [
    result.status,
    result.severity,
    result.rule_id,
    String(result.violation_count),
    String(result.waived_count),
    remarkOn(result),
  ]);
  const { pass, fail, error, no_data: noData, skipped, waived, duration_ms: ms } = evaluation;
  const counts =
    `${pass} pass, ${fail} fail, ${error} error, ${noData} no data, ${skipped} skipped, ` +
    `${waived} waived violations`;
  const table = formatTable(['status', 'severity', 'rule', 'violations', 'waived', 'first, or why'], rows);
  return `${table}\n${counts}, ${ms.toFixed(1)} ms${failuresText(evaluation)}`;
}

/** The failures by severity, such as `failed: 1 critical, 2 high`. */
function failuresText({ results }: Evaluation): string {
  const failed = results.filter(({ status }) => status === 'Fail');
  const counts = SEVERITIES.map((severity) => {
    const count = failed.filter((result) => result.severity === severity).length;
    return count === 0 ? '' : `${count} ${severity}`;
  });
  return failed.length === 0 ? '' : `\nfailed: ${counts.filter((text) => text !== '').join(', ')}`;
}

/** A rule without findings may query names that do not exist. */
function remarkOn(result: RuleResult): string {
  if (result.status === 'NoData') return noDataText(result);
  return result.error ?? (examplesOf(result) || (result.warnings?.[0]?.message ?? ''));
}

function noDataText({ warnings = [], population }: RuleResult): string {
  if (warnings.length > 0) return warnings.map(({ message }) => message).join('; ');
  return population?.total === 0 ? 'its population is empty' : 'the graph is empty';
}

function examplesOf(result: RuleResult): string {
  return result.violations
    .filter(({ waived }) => waived === undefined)
    .slice(0, 3)
    .map((violation) => findingOf(violation).label)
    .join(', ');
}

function lineOf(result: RuleResult, rule: DescribedRule | undefined): ReportLine {
  const { rule_id: ruleId, name, severity, warnings = [] } = result;
  const findings = findingsOf(result);
  return {
    ruleId,
    name,
    severity,
    status: statusOf(result),
    message: messageOf(result),
    description: rule?.description ?? '',
    remediation: rule?.remediation ?? '',
    frameworks: rule?.frameworks ?? [],
    ...(rule?.place && { place: rule.place }),
    findings,
    omitted: isLacking(result) ? 0 : result.violation_count + result.waived_count - findings.length,
    warnings: warnings.map(({ message }) => message),
    seconds: result.duration_ms / 1_000,
  };
}

function messageOf(result: RuleResult): string {
  const { error, status, violation_count: count } = result;
  if (status === 'NoData') return `no data: ${noDataText(result)}`;
  if (isLacking(result)) return countedText(count, 'result is missing', 'results are missing');
  return error ?? countedText(count, 'violation');
}

/** Whether too few results are the violation: then there is no result to show. */
function isLacking({ status, violations }: RuleResult): boolean {
  return status === 'Fail' && violations.every(({ waived }) => waived !== undefined);
}

/** A rule that lacks results has one finding: the rule itself. */
function findingsOf(result: RuleResult): readonly ReportedFinding[] {
  if (!isLacking(result)) return result.violations.map(findingOf);
  return [{ findingId: `${result.rule_id}:missing`, label: messageOf(result) }];
}

function statusOf({ status }: RuleResult): ReportLine['status'] {
  const words = {
    Pass: 'pass',
    Fail: 'fail',
    Error: 'error',
    NoData: 'no_data',
    Skipped: 'skipped',
  } as const;
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
  const nothing = {
    description: '',
    remediation: '',
    frameworks: [],
    findings: [],
    omitted: 0,
    warnings: [],
  };
  return { ruleId, name: test, severity: 'test', status, message, ...nothing, seconds: 0 };
}
