import { type FrameworkControl, SEVERITIES } from '#graph/policy';

/** What `policy test` and `policy evaluate` tell, before it has a format: a line for each rule or test. */
export interface ReportLine {
  readonly ruleId: string;
  /** Of the rule, or of its test. */
  readonly name: string;
  readonly severity: string;
  readonly status: 'pass' | 'fail' | 'error' | 'no_data' | 'skipped';
  /** Why it failed, or why nothing is known; empty when it passed. */
  readonly message: string;
  readonly description: string;
  readonly remediation: string;
  readonly frameworks: readonly FrameworkControl[];
  /** All that are there, as far as they were asked for. */
  readonly findings: readonly ReportedFinding[];
  /** Findings that `findings` leaves out. */
  readonly omitted: number;
  /** What its queries ask for and nothing has, for example. */
  readonly warnings: readonly string[];
  readonly seconds: number;
}

export interface ReportedFinding {
  readonly findingId: string;
  /** `host/web-01`; the keys of a group. */
  readonly label: string;
  /** Why it does not count. */
  readonly waived?: string;
}

/** How many findings a report has, and how many it leaves out. */
export interface ReportTotals {
  readonly total: number;
  readonly omitted: number;
}

/** The lines, most severe first. */
export function bySeverity<Line extends Pick<ReportLine, 'severity'>>(
  lines: readonly Line[],
): readonly Line[] {
  const rank = ({ severity }: Line): number => SEVERITIES.findIndex((each) => each === severity);
  return lines.toSorted((a, b) => rank(a) - rank(b));
}

/** The lines with `most` findings over all of them, the most severe; what is cut is counted in its line. */
export function cutFindings(lines: readonly ReportLine[], most: number): readonly ReportLine[] {
  let left = most;
  const kept = new Map<string, readonly ReportedFinding[]>();
  for (const { ruleId, findings } of bySeverity(lines)) {
    const shown = findings.slice(0, left);
    kept.set(ruleId, shown);
    left -= shown.length;
  }
  return lines.map((line) => {
    const findings = kept.get(line.ruleId) ?? [];
    return { ...line, findings, omitted: line.omitted + line.findings.length - findings.length };
  });
}

export function totalsOf(lines: readonly ReportLine[]): ReportTotals {
  const omitted = lines.reduce((sum, line) => sum + line.omitted, 0);
  return { total: lines.reduce((sum, { findings }) => sum + findings.length, omitted), omitted };
}
