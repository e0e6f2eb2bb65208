import type { EntityInput, EntityKey } from '#graph/model';
import type { Secret } from '#platform/foundation';

/** What a connector says of an entity, in the words of an ingest body. Undefined properties are left out. */
export interface EntityDraft {
  readonly type: string;
  readonly key: string;
  /** Default: the PascalCase of the type. */
  readonly class?: string | undefined;
  /** Default: the key. */
  readonly display_name?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** What a connector says of a relationship; `key` tells parallel ones apart. */
export interface RelationshipDraft {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** Types and verbs that a step may emit. When it fails, nothing of them is deleted by the sync. */
export interface EmittedTypes {
  readonly entities?: readonly string[];
  readonly relationships?: readonly string[];
}

/** Stands in {@link EmittedTypes} for whatever the source has: when such a step fails, nothing is synced. */
export const ANY_TYPE = '*';

/** A relationship that a source speaks of and that could not be made: an end of it is not there. */
export interface LostRelationship {
  readonly verb: string;
  readonly reason: string;
}

/** Constant message, facts as fields; never a secret among them. */
export interface StepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Much to emit at once. */
export interface EmittedDrafts {
  readonly entities?: Iterable<EntityDraft>;
  readonly relationships?: Iterable<RelationshipDraft>;
}

/** What a step is given. It ends with the step: an emit afterwards is refused. */
export interface StepContext<Config> {
  readonly config: Config;
  /** Aborted when the run is stopped and when the step's time is up. */
  readonly signal: AbortSignal;
  readonly log: StepLog;
  /**
   * Checked at once: throws INVALID_REQUEST or NESTED_PROPERTY, and CONFLICT for a type that is not declared.
   */
  emitEntity(draft: EntityDraft): void;
  emitRelationship(draft: RelationshipDraft): void;
  /** Many, with pauses in which others have their turn; ends when the signal is aborted. */
  emitAll(drafts: EmittedDrafts): Promise<void>;
  /** Emitted by this step or an earlier wave. */
  has(type: string, key: string): boolean;
  /** Emitted by earlier waves, in the order of their steps. */
  entities(type: string): Iterable<EntityInput>;
  /**
   * Says that these declared types and verbs were not wholly seen, and why: members, pages or references that
   * could not be resolved. The step goes on and what it emits is synced; nothing of them is deleted, and the
   * run ends `partial`. The reason is kept as a warning.
   */
  incomplete(types: readonly string[], reason: string): void;
  /** Tells of something odd in the report; the step goes on. The first 100 of a run are kept. */
  warn(message: string): void;
}

/** One unit of a connector's work: done, failed, retried and reported as a whole. */
export interface Step<Config = unknown> {
  readonly id: string;
  readonly description?: string;
  /** Ids of the steps whose emits it reads. */
  readonly dependsOn?: readonly string[];
  readonly emits?: EmittedTypes;
  /**
   * Default true. One that is off does not run, nor what depends on it; what they emitted before is dropped.
   */
  readonly enabled?: boolean;
  /** For one attempt; default 10 minutes. */
  readonly timeoutMs?: number;
  /** Further attempts after a failure; default 0. Each starts without what the one before emitted. */
  readonly retries?: number;
  run(context: StepContext<Config>): void | Promise<void>;
}

/** A connector made ready: its steps know their configuration. */
export interface ReadyConnector {
  readonly steps: readonly Step[];
  readonly config: unknown;
  /** Never shown: they are cut out of every message of a run. */
  readonly secrets: readonly Secret[];
}
