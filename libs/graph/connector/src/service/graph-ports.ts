import type { Graph } from '#graph/engine';
import { completed, DomainError } from '#platform/foundation';
import { GraphEntities, type KnownEntity } from '../run/graph-entities.port.ts';
import { type SyncContent, type SyncCounts, SyncTarget } from '../sync/sync-target.port.ts';

/** The live entities of a type, for mappings. */
export class SnapshotEntities extends GraphEntities {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    super();
    this.#graph = graph;
  }

  override *ofType(type: string): Iterable<KnownEntity> {
    const snapshot = this.#graph.snapshot();
    try {
      for (const node of completed(snapshot.select({ names: [type] }))) {
        // A class may be named like a type.
        if (snapshot.nodeField(node, '_type') !== type) continue;
        yield {
          key: String(snapshot.nodeField(node, '_key')),
          connectorId: String(snapshot.nodeField(node, '_source')),
          field: (name) => snapshot.nodeField(node, name),
          isStatedByOthers: (own) =>
            this.#sources(String(snapshot.nodeField(node, '_id'))).some((id) => id !== own),
        };
      }
    } finally {
      snapshot.release();
    }
  }

  /** None for an entity that has gone since the snapshot. */
  #sources(id: string): readonly string[] {
    try {
      return this.#graph.entityWithSources(id).sources.map(({ connector_id: source }) => source);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'NOT_FOUND') return [];
      throw error;
    }
  }
}

export interface GraphSyncOptions {
  /** Whether changes are counted, and not made. */
  readonly dryRun?: boolean;
  /** Default true: the cursors of a run are stored with its sync. */
  readonly keepsCursors?: boolean;
}

/** Syncs the result of a connector into the graph of this process. */
export class GraphSyncTarget extends SyncTarget {
  readonly #graph: Graph;
  readonly #options: GraphSyncOptions;

  constructor(graph: Graph, options: GraphSyncOptions = {}) {
    super();
    this.#graph = graph;
    this.#options = options;
  }

  override sync(content: SyncContent): Promise<SyncCounts> {
    const { connectorId, syncId, partialRelationships, unread, emptied, priority, force } = content;
    const { dryRun = false, keepsCursors = true } = this.#options;
    const request = {
      connectorId,
      syncId,
      partialRelationships,
      unread,
      increment: content.increment,
      document: keepsCursors ? content.document : undefined,
      emptied,
      priority,
      force,
      entities: Array.from(content.entities),
      relationships: Array.from(content.relationships),
      /** Read when the drops are planned. */
      get partialTypes(): readonly string[] {
        return content.partialTypes();
      },
    };
    return this.#graph.sync(request, { onDangling: 'skip', dryRun });
  }

  override lastSync(connectorId: string): SyncCounts | undefined {
    return this.#graph.lastSyncs().find(({ connector_id: id }) => id === connectorId)?.reply;
  }
}
