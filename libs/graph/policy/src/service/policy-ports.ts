import { type Moment, type SharedDocuments, UNSHARED } from '#graph/engine';
import type { ChangeLog } from '#graph/memory';
import type { Scope } from '#graph/model';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';

export interface PolicyDocument {
  readonly id: string;
  /** JSON; `undefined` removes the document. */
  readonly value: unknown;
}

/** The storage of rules, findings and evaluations, by namespace and id. */
export interface PolicyDocuments extends SharedDocuments {
  /** All or nothing; resolves when durable. */
  change(namespace: string, changes: readonly PolicyDocument[]): Promise<void>;
  get(namespace: string, id: string): Promise<unknown>;
  all(namespace: string, idPrefix?: string): AsyncIterable<PolicyDocument>;
}

/** A snapshot to evaluate on. */
export interface SharedGraph {
  readonly snapshotVersion: number;
  /** The handle that the evaluator's threads attach to. */
  share(): unknown;
  release(): void;
}

/** The graph on which rules are evaluated. */
export interface PolicyGraph {
  /** The version of the last change of the graph; writes of documents do not count. */
  readonly changedVersion: number;
  /** The log of changes since marked versions. */
  readonly changes: ChangeLog;
  /** A snapshot of the current graph. */
  snapshot(): SharedGraph;
}

/** The graph of earlier moments. */
export interface PastGraph {
  readonly changes: ChangeLog;
  readonly history: { snapshot(moment: Moment): Promise<SharedGraph> };
}

export interface RuleEvaluator {
  run(tasks: readonly RuleTask[], shared: unknown, scope?: Scope): Promise<readonly RuleOutcome[]>;
}

export interface FindingNote {
  readonly finding_id: string;
  /** Type and key of the entity, or the group's keys. */
  readonly label: string;
  /** The class of the entity; absent for a group. */
  readonly class?: string;
  readonly first_seen: string;
}

/** The changes of one rule by an evaluation. */
export interface RuleNews {
  readonly rule: Rule;
  readonly opened: readonly FindingNote[];
  readonly resolved: readonly FindingNote[];
  /** The error of this evaluation, if the previous one had no error; otherwise null. */
  readonly error: string | null;
}

export interface EvaluationNews {
  readonly evaluation_id: string;
  readonly started_at: string;
  readonly rules: readonly RuleNews[];
}

/** Documents to be stored in one batch with the evaluation. */
export interface AddedDocuments {
  readonly documents: readonly PolicyDocument[];
  /** Called once the documents are durable. */
  readonly keep: () => void;
}

/** Receives the changes by evaluations. */
export abstract class EvaluationListener {
  abstract evaluated(news: EvaluationNews, namespace: string): AddedDocuments;
}

export interface PolicyLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** The namespace of the documents of policies; ids have a prefix by kind. */
export const NAMESPACE = 'policy';

export const RULE_PREFIX = 'rule/';

export const FINDINGS_PREFIX = 'findings/';

export const LAST_RUN_PREFIX = 'last/';

export const EVALUATION_PREFIX = 'evaluation/';
export const SCORE_PREFIX = 'score/';

/**
 * Reads stored findings and evaluations, has no stored rules, and writes nothing: for evaluations without
 * side effects.
 */
export function transientDocuments(documents: Pick<PolicyDocuments, 'get' | 'all'>): PolicyDocuments {
  return {
    change: () => Promise.resolve(),
    ...UNSHARED,
    get: (namespace, id) => documents.get(namespace, id),
    all: (namespace, idPrefix = '') => documents.all(namespace, idPrefix === RULE_PREFIX ? '\0' : idPrefix),
  };
}
