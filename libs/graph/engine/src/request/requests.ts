import type {
  EntityKey,
  EntityStatement,
  PartialRelationships,
  RelationshipInput,
  RelationshipKey,
  UnreadEntities,
} from '#graph/model';

/** Identifies an entity by id, or by type and key. */
export type EntityReference = string | EntityKey;

/** Identifies a relationship by id, or by its ends, verb and key. */
export type RelationshipReference = string | RelationshipKey;

/** Upserts and deletes, without a diff. Properties are replaced, not merged. */
export interface WriteRequest {
  /**
   * Makes the write idempotent: the same id of the same connector again returns the stored reply, also
   * after a restart.
   */
  readonly writeId?: string | undefined;
  /** The owner of the written records; default `api`. */
  readonly connectorId?: string | undefined;
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
  /** Unknown and deleted records are ignored. */
  readonly delete?: DeleteRequest | undefined;
}

export interface DeleteRequest {
  readonly entities: readonly EntityReference[];
  readonly relationships: readonly RelationshipReference[];
}

/**
 * `diff`: properties are replaced, absent records are dropped. `patch`: upserts only, properties are merged,
 * null removes one.
 */
export type SyncMode = 'diff' | 'patch';

/**
 * Changes instead of the whole: of these types, an absent entity is kept unless it is removed. An entity that
 * is present states all of its relationships of these verbs; those of absent ones are kept.
 */
export interface SyncIncrement {
  /** Entity types and verbs. */
  readonly types: readonly string[];
  readonly removed: readonly EntityKey[];
}

/** A JSON document, stored in the batch of a sync. */
export interface SyncDocument {
  readonly namespace: string;
  readonly id: string;
  readonly value: unknown;
}

/** The records seen by a connector at one time. */
export interface SyncScope {
  readonly connectorId: string;
  readonly syncId: string;
  readonly mode?: SyncMode | undefined;
  /**
   * Incompletely read entity types and verbs. None of their records is dropped, and no relationship with an
   * end of such a type.
   */
  readonly partialTypes?: readonly string[] | undefined;
  readonly partialRelationships?: readonly PartialRelationships[] | undefined;
  /** Entities that were found but not read. Only connectors of this process set it and `emptied`. */
  readonly unread?: readonly UnreadEntities[] | undefined;
  /** What was read as changes since an earlier sync. Only connectors of this process set it. */
  readonly increment?: SyncIncrement | undefined;
  /** Entity types, or `*` for all, that the source must not lose altogether: the sync is refused. */
  readonly emptied?: readonly string[] | undefined;
  /**
   * An integer: the higher one wins if sources differ. By default, the source keeps its last one, initially
   * 0.
   */
  readonly priority?: number | undefined;
}

/** The deletion limit of a sync. */
export interface SafetyValve {
  /** Disables the limit. */
  readonly force?: boolean | undefined;
  /**
   * Maximum fraction, 0 to 1, of the connector's entities, and of its relationships of each verb, that may be
   * dropped; default 0.5. Applies from 20 records up.
   */
  readonly maxDeleteRatio?: number | undefined;
}

export interface SyncRequest extends SyncScope, SafetyValve {
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
  /** Called when the sync is planned, after `partialTypes` was read; its document is stored with the sync. */
  readonly document?: (() => SyncDocument | undefined) | undefined;
}

/**
 * A sync whose records are written in several batches, which readers see one after the other; its deletions
 * come last. A relationship with a missing end is left out with a warning.
 */
export interface PartedSyncRequest extends SyncScope, SafetyValve {
  /** Each record once, and no relationship before the part with its ends; called several times. */
  readonly parts: () => Iterable<SessionBatch>;
  /** Called before each batch; throws if nothing may be written any more. */
  readonly requireOpen?: (() => void) | undefined;
  /** Called when the last batch is planned, which stores its document. */
  readonly document?: (() => SyncDocument | undefined) | undefined;
}

/** One part of a sync in several requests. */
export interface SessionBatch {
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
}

/** One line of a bulk load. */
export type BulkOperation =
  | { readonly op: 'entity'; readonly entity: EntityStatement }
  | { readonly op: 'relationship'; readonly relationship: RelationshipInput }
  | { readonly op: 'delete_entity'; readonly entity: EntityReference }
  | { readonly op: 'delete_relationship'; readonly relationship: RelationshipReference };

/**
 * Handling of a relationship with a missing end: reject the request, leave the relationship out, or create a
 * stub.
 */
export type DanglingPolicy = 'refuse' | 'skip' | 'stub';

export interface WriteOptions {
  readonly onDangling?: DanglingPolicy | undefined;
}

export interface BulkOptions extends WriteOptions {
  /** Default `api`. */
  readonly connectorId?: string | undefined;
}

export interface SyncOptions extends WriteOptions {
  /** Counts the changes without making them; neither stores nor returns a stored reply. */
  readonly dryRun?: boolean | undefined;
  /** Of a dry run: how many records of each kind of change the reply lists; default: none. */
  readonly listed?: number | undefined;
}
