import type { Direction, Entity, Relationship } from '#model';
import type { BulkReply, LastSync, SyncReply, WriteReply } from './ingest/replies.ts';
import type { BulkOperation, SyncOptions, SyncRequest, WriteOptions, WriteRequest } from './ingest/requests.ts';
import type { GraphHealth, GraphStats } from './graph-stats.ts';
import type { GraphOptions } from './graph-options.ts';
import type { GraphSchema } from './memory/schema/graph-schema.ts';
import type { GraphSnapshot } from './memory/snapshot/graph-snapshot.ts';
import type { Documents } from './store/documents.ts';
import type { Sessions } from './session/sessions.ts';

export interface BulkOptions extends WriteOptions {
  readonly connectorId?: string | undefined;
}

export interface NeighborOptions {
  /** Compared case-insensitively; default: every verb. */
  readonly verb?: string | undefined;
  /** Default `any`. */
  readonly direction?: Direction | undefined;
  /** Default 1,000, maximum 10,000. */
  readonly limit?: number | undefined;
}

/** One link of an entity, with what stands at its other end. */
export interface Neighbor {
  readonly relationship: Relationship;
  readonly entity: Entity;
}

export interface Neighbors {
  /** Of all, beyond the limit too. */
  readonly count: number;
  readonly neighbors: readonly Neighbor[];
}

/**
 * The graph and its store. Every write resolves when it is durable, is one atomic batch, and changes nothing
 * when it throws: DANGLING_RELATIONSHIP, DUPLICATE_KEY, SYNC_WOULD_DELETE_TOO_MUCH, or STORE_UNAVAILABLE once a
 * disk write has failed. Reads see what is durable, and go on when writes do not.
 */
export class Graph {
  /** Throws STORE_LOCKED, STORE_CORRUPT or STORE_TOO_NEW. */
  static open(options: GraphOptions): Promise<Graph> {
    throw new Error('not yet');
  }

  declare readonly sessions: Sessions;
  declare readonly documents: Documents;
  /** Sequence number up to which everything is durable and visible. */
  declare readonly durableVersion: number;
  write(request: WriteRequest, options?: WriteOptions): Promise<WriteReply> {
    throw new Error('not yet');
  }

  /** At most some thousand operations at a time; atomic each, good ones are kept beside bad ones. */
  bulk(operations: readonly BulkOperation[], options?: BulkOptions): Promise<BulkReply> {
    throw new Error('not yet');
  }

  sync(request: SyncRequest, options?: SyncOptions): Promise<SyncReply> {
    throw new Error('not yet');
  }

  /** NOT_FOUND when unknown or already deleted; INVALID_REQUEST when it is no id. */
  deleteEntity(id: string): Promise<void> {
    throw new Error('not yet');
  }

  deleteRelationship(id: string): Promise<void> {
    throw new Error('not yet');
  }

  snapshot(options?: { readonly includeDeleted?: boolean }): GraphSnapshot {
    throw new Error('not yet');
  }

  /** Errors as with {@link deleteEntity}, for the two below too. */
  entity(id: string): Entity {
    throw new Error('not yet');
  }

  relationship(id: string): Relationship {
    throw new Error('not yet');
  }

  neighbors(id: string, options?: NeighborOptions): Neighbors {
    throw new Error('not yet');
  }

  stats(): GraphStats {
    throw new Error('not yet');
  }

  schema(): GraphSchema {
    throw new Error('not yet');
  }

  lastSyncs(): readonly LastSync[] {
    throw new Error('not yet');
  }

  health(): GraphHealth {
    throw new Error('not yet');
  }

  /** A consistent copy of the running store into an empty or new directory. */
  backup(directory: string): Promise<void> {
    throw new Error('not yet');
  }

  close(): Promise<void> {
    throw new Error('not yet');
  }

}
