/** How rules are evaluated; a token, which an application provides with its settings. */
export abstract class PolicySettings {
  /** Directory of rule files; empty: there are none. */
  abstract readonly rules: string;
  /** Threads that evaluate rules; 0: one a processor. */
  abstract readonly ruleThreads: number;
  /** Longest evaluation of a rule, in milliseconds. */
  abstract readonly ruleTimeout: number;
}
