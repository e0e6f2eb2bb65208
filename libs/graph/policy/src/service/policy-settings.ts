/** Settings of rule evaluation; an injection token that the application provides. */
export abstract class PolicySettings {
  /** Directory of rule files; empty: no rule files. */
  abstract readonly rules: string;
  /** Number of evaluation threads; 0: one per processor. */
  abstract readonly ruleThreads: number;
  /** Time-out of the evaluation of a rule, in milliseconds. */
  abstract readonly ruleTimeout: number;
}
