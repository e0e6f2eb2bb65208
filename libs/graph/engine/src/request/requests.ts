import type { EntityKey, EntityStatement, RelationshipInput, RelationshipKey } from '#graph/model';

/** Names an entity by id, or by type and key. */
export type EntityReference = string | EntityKey;

/** Names a relationship by id, or by its ends, verb and key. */
export type RelationshipReference = string | RelationshipKey;

/** Upserts and deletes, without a diff. Properties are replaced, not merged. */
export interface WriteRequest {
  /** Makes the write repeatable: the same id again gives the stored reply, after a restart too. */
  readonly writeId?: string | undefined;
  /** Who claims what is written; default `api`. */
  readonly connectorId?: string | undefined;
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
  /** What is unknown or already deleted is passed over. */
  readonly delete?: DeleteRequest | undefined;
}

export interface DeleteRequest {
  readonly entities: readonly EntityReference[];
  readonly relationships: readonly RelationshipReference[];
}

/**
 * `diff`: properties replaced, what is absent dropped. `patch`: upserts only, properties merge, null
 * removes.
 */
export type SyncMode = 'diff' | 'patch';

/** What a connector sees at one time. */
export interface SyncScope {
  readonly connectorId: string;
  readonly syncId: string;
  readonly mode?: SyncMode | undefined;
  /**
   * Entity types, or verbs, that were not wholly seen. Nothing of them is dropped, nor a relationship at
   * whose end such a type stands.
   */
  readonly partialTypes?: readonly string[] | undefined;
  /** An integer: the higher wins where sources differ. Without one the source keeps its last, at first 0. */
  readonly priority?: number | undefined;
}

/** How much may vanish. */
export interface SafetyValve {
  /** Drops however much. */
  readonly force?: boolean | undefined;
  /**
   * Share of the connector's entities, and of its relationships of each verb, 0 to 1, that may vanish;
   * default 0.5, from 20 of them up.
   */
  readonly maxDeleteRatio?: number | undefined;
}

export interface SyncRequest extends SyncScope, SafetyValve {
  readonly entities: readonly EntityStatement[];
  readonly relationships: readonly RelationshipInput[];
}

/** One part of a sync that is too large for one request. */
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
 * A relationship whose end does not exist: refuse the request, leave the relationship out, or make a bare
 * end.
 */
export type DanglingPolicy = 'refuse' | 'skip' | 'stub';

export interface WriteOptions {
  readonly onDangling?: DanglingPolicy | undefined;
}

export interface SyncOptions extends WriteOptions {
  /** Counts what would happen and changes nothing; neither stores nor gives a stored reply. */
  readonly dryRun?: boolean | undefined;
}
