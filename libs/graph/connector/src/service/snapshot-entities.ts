import type { Graph } from '#graph/engine';
import { completed } from '#platform/foundation';
import { GraphEntities, type KnownEntity } from '../mapping/graph-entities.port.ts';

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
        // A class may have the name of a type.
        if (snapshot.nodeField(node, '_type') !== type) continue;
        yield {
          key: String(snapshot.nodeField(node, '_key')),
          connectorId: String(snapshot.nodeField(node, '_source')),
          field: (name) => snapshot.nodeField(node, name),
        };
      }
    } finally {
      snapshot.release();
    }
  }
}
