import type { EntityInput, EntityKey, RelationshipEnd } from '#graph/model';
import type { Secret } from '#platform/foundation';
import type { GraphEntities } from './graph-entities.port.ts';

/** An emitted entity, in the form of an ingest body. Undefined properties are left out. */
export interface EntityDraft {
  readonly type: string;
  readonly key: string;
  /** Default: the PascalCase of the type. */
  readonly class?: string | undefined;
  /** Default: the key. */
  readonly display_name?: string | undefined;
  /** Further names by which it is found. */
  readonly labels?: readonly string[] | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** An emitted relationship; `key` distinguishes parallel ones. */
export interface RelationshipDraft {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string | undefined;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** Types and verbs that a step may emit. If it fails, the sync deletes nothing of them. */
export interface EmittedTypes {
  readonly entities?: readonly string[];
  readonly relationships?: readonly string[];
}

/** In {@link EmittedTypes}: any type or verb. If such a step fails, nothing is synced. */
export const ANY_TYPE = '*';

/** A relationship of the source that could not be created because an end is missing. */
export interface LostRelationship {
  readonly verb: string;
  readonly reason: string;
}

/** A reference in the statement of one entity that leads to no relationship. */
export interface LooseReference {
  /** The entity whose statement has the reference. */
  readonly owner: EntityKey;
  /** The end of the verb's relationships at which the owner is. */
  readonly end: RelationshipEnd;
  readonly verb: string;
  readonly reason: string;
}

/** A part of the source that could not be read, such as one of several databases. */
export interface UnreadPart {
  /** Types of the entities of this part; {@link ANY_TYPE} if they are unknown. */
  readonly types: readonly string[];
  /** The beginning of their keys, and of no others; empty for any type, whose keys are unknown as well. */
  readonly keyPrefix: string;
  readonly reason: string;
}

/** Constant message, facts as fields. The connector's secrets are redacted in both. */
export interface StepLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** A large number of records to emit. */
export interface EmittedDrafts {
  readonly entities?: Iterable<EntityDraft>;
  readonly relationships?: Iterable<RelationshipDraft>;
}

/** How far a step has come, in units of its source, such as pages or rows. */
export interface StepProgress {
  readonly done: number;
  /** If the source says it. */
  readonly total?: number | undefined;
}

/** The context of a step. It ends with the step: later emits are rejected. */
export interface StepContext<Config> {
  readonly config: Config;
  /** The id of the connector. */
  readonly connectorId: string;
  /** The graph before this run, as all sources have stated it: for steps that add to what others say. */
  readonly graph: GraphEntities;
  /** Aborted when the run is stopped and at the step's time-out. */
  readonly signal: AbortSignal;
  readonly log: StepLog;
  /**
   * Checked at once: throws INVALID_REQUEST or NESTED_PROPERTY, and CONFLICT for a type that is not declared.
   */
  emitEntity(draft: EntityDraft): void;
  emitRelationship(draft: RelationshipDraft): void;
  /** Emits many records and yields in between; ends when the signal is aborted. */
  emitAll(drafts: EmittedDrafts): Promise<void>;
  /** Emitted by this step or an earlier wave. */
  has(type: string, key: string): boolean;
  /** Emitted by earlier waves, in the order of their steps. */
  entities(type: string): Iterable<EntityInput>;
  /**
   * Reports a reference that the source should hold and that cannot be resolved. The owner's relationships of
   * this verb at this end are kept if the run does not emit them; nothing else is. The run ends as `partial`,
   * the reason is a warning.
   */
  unresolved(reference: LooseReference): void;
  /**
   * Reports a reference to something outside the source by its nature, such as another bill or a local user.
   * It is counted, keeps nothing, and leaves the run `complete`; the first reasons are warnings.
   */
  external(reference: LooseReference): void;
  /**
   * Reports a part that could not be read. Its entities of earlier runs are kept, with their relationships;
   * nothing else is. The run ends as `partial`, the reason is a warning.
   */
  unread(part: UnreadPart): void;
  /** Counts content that the step does not read, by kind; `count` is 1 by default. */
  ignored(kind: string, count?: number): void;
  /**
   * Reports declared types and verbs that were not wholly read, such as a missing page, with the reason.
   * The step continues and its emits are synced; nothing of these types, nor of the types of dependent steps,
   * is deleted, and the run ends as `partial`. The reason is kept as a warning.
   */
  incomplete(types: readonly string[], reason: string): void;
  /** Adds a warning to the report. The first 100 of a run are kept. */
  warn(message: string): void;
  /** Reports how far the step has come; with a total, the report says how much time is left. */
  progress(progress: StepProgress): void;
  /** Waits; rejects as soon as the signal is aborted. */
  sleep(ms: number): Promise<void>;
  /**
   * Of an incremental step: what it passed to `keepCursor` in the last complete run. With it, the step emits
   * what has changed since then; without it, everything.
   */
  readonly cursor: string | undefined;
  /** Keeps the cursor for the next run: it is stored in the commit of this run's sync if that is complete. */
  keepCursor(cursor: string): void;
  /** Reports an entity that the source no longer has, which an incremental run cannot see otherwise. */
  removed(entity: EntityKey): void;
  /** The source does not accept the cursor any more: what this step emits from now on is everything. */
  startOver(): void;
}

/** One unit of a connector's work: done, failed, retried and reported as a whole. */
export interface Step<Config = unknown> {
  readonly id: string;
  readonly description?: string;
  /** Ids of the steps that it depends on. */
  readonly dependsOn?: readonly string[];
  readonly emits?: EmittedTypes;
  /**
   * Whether a source of this kind always has such entities. If the step finds none, and earlier runs did, the
   * sync is refused, unless the configuration has `allow_empty: true`.
   */
  readonly isNeverEmpty?: boolean;
  /**
   * Default true. A disabled step and its dependents do not run; their earlier emits are deleted by the sync.
   */
  readonly enabled?: boolean;
  /** Time-out of one attempt; default 10 minutes. */
  readonly timeoutMs?: number;
  /**
   * Whether it reads changes since an earlier run, if it has a cursor: its types are kept but for what it
   * removes; an entity that it emits states all of its relationships of the step's verbs that begin there.
   */
  readonly incremental?: boolean;
  /** Further attempts after a failure; default 0. Each starts without the previous emits. */
  readonly retries?: number;
  run(context: StepContext<Config>): void | Promise<void>;
}

/** A configured connector with its steps. */
export interface ReadyConnector {
  readonly id: string;
  readonly steps: readonly Step[];
  readonly config: unknown;
  /** Redacted in every message of a run. */
  readonly secrets: readonly Secret[];
  /** Of its incremental steps, by id; absent ones read everything. */
  readonly cursors?: ReadonlyMap<string, string> | undefined;
}

/** The declared types and verbs of a step. */
export function typesOf({ emits }: Step): readonly string[] {
  return [...(emits?.entities ?? []), ...(emits?.relationships ?? [])];
}
