/** Settings of rule evaluation. */
export class PolicySettings {
  /** Directory of rule files; empty: no rule files. */
  readonly rules: string = '';
  /** Number of evaluation threads; 0: one per processor. */
  readonly ruleThreads: number = 0;
  /** Time-out of the evaluation of a rule, in milliseconds. */
  readonly ruleTimeout: number = 10_000;
}
