import type { ChangeLog, SharedDocuments } from '#graph/engine';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';

export interface PolicyDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** Where rules, findings and evaluations are kept, by namespace and id. */
export interface PolicyDocuments extends SharedDocuments {
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

/** The graph that rules are about. */
export interface PolicyGraph {
  /** At which version it last changed; documents that are written are no change of it. */
  readonly changedVersion: number;
  /** What has changed since when. */
  readonly changes: ChangeLog;
  /** As it is now. */
  snapshot(): SharedGraph;
}

export interface RuleEvaluator {
  run(tasks: readonly RuleTask[], shared: unknown): Promise<readonly RuleOutcome[]>;
}

export interface FindingNote {
  readonly finding_id: string;
  /** Type and key of the entity, or the group's keys. */
  readonly label: string;
  /** Of the entity; left out of a group. */
  readonly class?: string;
  readonly first_seen: string;
}

/** What an evaluation changed in one rule. */
export interface RuleNews {
  readonly rule: Rule;
  readonly opened: readonly FindingNote[];
  readonly resolved: readonly FindingNote[];
  /** Why it could not be evaluated, when it could be the last time. */
  readonly error: string | null;
}

export interface EvaluationNews {
  readonly evaluation_id: string;
  readonly started_at: string;
  readonly rules: readonly RuleNews[];
}

/** What is to be stored in one batch with what it tells of. */
export interface AddedDocuments {
  readonly documents: readonly PolicyDocument[];
  /** Once they are durable. */
  readonly keep: () => void;
}

/** Hears what evaluations change. */
export abstract class EvaluationListener {
  abstract evaluated(news: EvaluationNews, namespace: string): AddedDocuments;
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
