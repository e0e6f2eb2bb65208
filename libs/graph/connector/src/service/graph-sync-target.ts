import type { Graph } from '#graph/engine';
import { type SyncContent, type SyncCounts, SyncTarget } from '../sync/sync-target.port.ts';

/** Syncs what a connector saw into the graph of this process. */
export class GraphSyncTarget extends SyncTarget {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    super();
    this.#graph = graph;
  }

  override sync(content: SyncContent): Promise<SyncCounts> {
    const { connectorId, syncId, partialTypes, priority, force } = content;
    const entities = Array.from(content.entities);
    const relationships = Array.from(content.relationships);
    return this.#graph.sync(
      { connectorId, syncId, partialTypes, priority, force, entities, relationships },
      { onDangling: 'skip' },
    );
  }

  override lastSync(connectorId: string): SyncCounts | undefined {
    return this.#graph.lastSyncs().find(({ connector_id: id }) => id === connectorId)?.reply;
  }
}
