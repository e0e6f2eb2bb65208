import { type FrameworkControl, SEVERITIES } from '../rule/rule.ts';

/** The unformatted result of `policy test` and `policy evaluate`: a line for each rule or test. */
export interface ReportLine {
  readonly ruleId: string;
  /** Name of the rule, or of its test. */
  readonly name: string;
  readonly severity: string;
  readonly status: 'pass' | 'fail' | 'error' | 'no_data' | 'skipped';
  /** Why it failed or is unknown; empty if it passed. */
  readonly message: string;
  readonly description: string;
  readonly remediation: string;
  readonly frameworks: readonly FrameworkControl[];
  /** Place of the rule's id in its file, if that is known. */
  readonly place?: SourcePlace;
  /** All findings, up to the requested number. */
  readonly findings: readonly ReportedFinding[];
  /** Number of findings that `findings` leaves out. */
  readonly omitted: number;
  /** Warnings, for example names in its queries that nothing has. */
  readonly warnings: readonly string[];
  readonly seconds: number;
}

/** A position in a file of the repository, counted from 1. */
export interface SourcePlace {
  /** Relative to the root of the repository, with slashes. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

export interface ReportedFinding {
  readonly findingId: string;
  /** `host/web-01`; the keys of a group. */
  readonly label: string;
  /** Why the finding is waived. */
  readonly waived?: string;
  /** ISO 8601. */
  readonly firstSeen?: string;
  readonly assignee?: string;
}

/** The number of findings in a report, and of those left out. */
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

/** The lines with the `most` most severe findings in total; each line counts its omitted findings. */
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
