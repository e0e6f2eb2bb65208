import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';

export interface PolicyDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** Where rules, findings and evaluations are kept, by namespace and id. */
export interface PolicyDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly PolicyDocument[]): Promise<void>;
  get(namespace: string, id: string): Promise<unknown>;
  all(namespace: string, idPrefix?: string): AsyncIterable<PolicyDocument>;
}

/** A snapshot to evaluate on. */
export interface SharedGraph {
  readonly snapshotVersion: number;
  /** What the evaluator's threads attach to. */
  share(): unknown;
  release(): void;
}

export interface RuleEvaluator {
  run(tasks: readonly RuleTask[], shared: unknown): Promise<readonly RuleOutcome[]>;
}

export interface PolicyLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Where the documents of policies stand: one namespace, ids by kind. */
export const NAMESPACE = 'policy';

export const RULE_PREFIX = 'rule/';

export const FINDINGS_PREFIX = 'findings/';

export const LAST_RUN_PREFIX = 'last/';

export const EVALUATION_PREFIX = 'evaluation/';
export const SCORE_PREFIX = 'score/';
