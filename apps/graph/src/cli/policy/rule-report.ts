/** What `policy test` and `policy evaluate` tell, before it has a format: a line for each rule or test. */
export interface ReportLine {
  readonly ruleId: string;
  /** Of the rule, or of its test. */
  readonly name: string;
  readonly severity: string;
  readonly status: 'pass' | 'fail' | 'error' | 'skipped';
  /** Why it failed; empty when it did not. */
  readonly message: string;
  readonly findings: readonly ReportedFinding[];
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
