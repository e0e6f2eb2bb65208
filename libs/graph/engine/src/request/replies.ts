import type { EntityKey, PartialRelationships, Warning } from '#graph/model';
import type { ErrorCode } from '#platform/foundation';
import type { SyncMode } from './requests.ts';

/** The result of a write. Each upserted entity or relationship counts once, changed or not. */
export interface WriteReply extends WriteCounts {
  /** The given id, else a new one. */
  readonly write_id: string;
  readonly warnings: readonly Warning[];
}

export interface WriteCounts {
  readonly entities_written: number;
  readonly relationships_written: number;
  readonly entities_deleted: number;
  /** Includes those deleted with an entity. */
  readonly relationships_deleted: number;
}

/** Of one kind of change: the first records, and how many more there are. */
export interface ListedRecords<T> {
  readonly records: readonly T[];
  readonly more: number;
}

export interface ListedChanges<T> {
  readonly created: ListedRecords<T>;
  readonly updated: ListedRecords<T>;
  readonly deleted: ListedRecords<T>;
}

export interface ListedEntity extends EntityKey {
  /** After the change; of a deleted one, before it. */
  readonly display_name: string;
}

export interface ListedRelationship {
  readonly from: EntityKey;
  readonly verb: string;
  readonly to: EntityKey;
  readonly key?: string;
}

/** The records whose content a sync would change, by what would be done; those of its counts. */
export interface PlannedChanges {
  readonly entities: ListedChanges<ListedEntity>;
  readonly relationships: ListedChanges<ListedRelationship>;
}

export interface SyncReply {
  readonly sync_id: string;
  readonly entities_created: number;
  readonly entities_updated: number;
  readonly entities_unchanged: number;
  /** Number of records dropped by their last owner. */
  readonly entities_deleted: number;
  readonly relationships_created: number;
  readonly relationships_updated: number;
  readonly relationships_unchanged: number;
  readonly relationships_deleted: number;
  readonly warnings: readonly Warning[];
  /** Of a dry run that lists them. */
  readonly changes?: PlannedChanges;
}

/** The result of one batch of bulk lines: valid ones are kept despite errors of others. */
export interface BulkReply extends WriteCounts {
  readonly errors: readonly BulkError[];
  readonly warnings: readonly Warning[];
}

export interface BulkError {
  /** Index of the operation in the batch, from 0. */
  readonly index: number;
  readonly code: ErrorCode;
  readonly message: string;
}

export type SessionState = 'open' | 'committed' | 'aborted';

export interface SessionReply {
  readonly session_id: string;
  readonly connector_id: string;
  readonly sync_id: string;
  readonly mode: SyncMode;
  readonly partial_types: readonly string[];
  readonly partial_relationships: readonly PartialRelationships[];
  /** Priority of the source, if the session was opened with one. */
  readonly priority?: number;
  readonly state: SessionState;
  /** Numbers of the batches received, ascending. */
  readonly batches: readonly number[];
  readonly entities: number;
  readonly relationships: number;
  /** RFC 3339 UTC, milliseconds. */
  readonly created_at: string;
  readonly expires_at: string;
}

/** A connector's latest sync. */
export interface LastSync {
  readonly connector_id: string;
  readonly sync_id: string;
  /** RFC 3339 UTC, milliseconds. */
  readonly synced_at: string;
  readonly reply: SyncReply;
}
