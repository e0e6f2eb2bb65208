/** A list of findings as files: CSV, and SARIF for code scanning and other viewers. */
import type { FoundFinding } from '../service/finding-filter.ts';
import { instantText, waiverOf } from '../service/finding-list.ts';
import { cutFindings, type ReportedFinding, type ReportLine } from './rule-report.ts';
import { SARIF_RESULTS_MAX, sarifReport } from './sarif.ts';

const COLUMNS = [
  'severity',
  'state',
  'finding',
  'class',
  'rule_id',
  'rule',
  'opened_at',
  'first_seen',
  'evaluated_at',
  'assignee',
  'reason',
  'by',
  'until',
  'origin',
  'finding_id',
  'entity_id',
];
const LINES_IN_CHUNK = 500;
const NOT_WAIVED = { reason: '', by: '', until: '', origin: '' };

/** RFC 4180 with a header line, in chunks. */
export function* findingsCsv(found: readonly FoundFinding[]): Generator<string> {
  yield csvLine(COLUMNS);
  for (let start = 0; start < found.length; start += LINES_IN_CHUNK) {
    yield found
      .slice(start, start + LINES_IN_CHUNK)
      .map((each) => csvLine(cellsOf(each)))
      .join('');
  }
}

function cellsOf(found: FoundFinding): readonly string[] {
  const { rule, known, run, care, state, findingId, openedMs } = found;
  const { reason, by, until, origin } = waiverOf(found) ?? NOT_WAIVED;
  const cells = [
    rule.severity,
    state,
    known.label,
    known.class,
    rule.id,
    rule.name,
    instantText(openedMs),
    instantText(known.firstSeenMs),
    run.evaluated_at,
    care.assignment?.assignee,
    reason,
    by,
    until,
    origin,
    findingId,
    known.entityId,
  ];
  return cells.map((cell) => cell ?? '');
}

function csvLine(cells: readonly string[]): string {
  const quoted = cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text));
  return `${quoted.join(',')}\r\n`;
}

/** SARIF 2.1.0, with as many results as code scanning takes, most severe first. */
export function findingsSarif(found: readonly FoundFinding[]): string {
  const byRule = Map.groupBy(found, ({ rule }) => rule);
  const lines = Array.from(byRule, ([rule, findings]): ReportLine => {
    const { id: ruleId, name, severity, description, remediation, frameworks } = rule;
    return {
      ruleId,
      name,
      severity,
      status: 'fail',
      message: '',
      description,
      remediation,
      frameworks,
      findings: findings.map(reportedFinding),
      omitted: 0,
      warnings: [],
      seconds: 0,
    };
  });
  return sarifReport(cutFindings(lines, SARIF_RESULTS_MAX));
}

function reportedFinding(found: FoundFinding): ReportedFinding {
  const { findingId, known, care, state } = found;
  const waiver = waiverOf(found);
  const { assignment } = care;
  const firstSeen = instantText(known.firstSeenMs);
  return {
    findingId,
    label: known.label,
    ...(firstSeen !== null && { firstSeen }),
    ...(assignment && { assignee: assignment.assignee }),
    ...(waiver && { waived: waivedText(state, waiver.reason, waiver.by) }),
  };
}

function waivedText(state: string, reason: string, by: string | null): string {
  return by === null ? `${state}: ${reason}` : `${state} by ${by}: ${reason}`;
}
