import type { Graph } from '#graph/engine';
import type { Disk } from '#platform/disk';
import { completed, DomainError } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { loadConnectors, type LoadOptions } from '../config/load-connectors.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { GraphEntities, type KnownEntity } from '../run/graph-entities.port.ts';
import { ConnectorRuns } from '../sync/connector-runs.ts';
import { type SyncContent, type SyncCounts, SyncTarget } from '../sync/sync-target.port.ts';
import { firstPartyConnectors } from './connector-list.ts';

/** The live entities of a type, for mappings. */
class SnapshotEntities extends GraphEntities {
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

/** Syncs the result of a connector into the graph of this process. */
class GraphSyncTarget extends SyncTarget {
  readonly #graph: Graph;

  constructor(graph: Graph) {
    super();
    this.#graph = graph;
  }

  override sync(content: SyncContent): Promise<SyncCounts> {
    const { connectorId, syncId, partialRelationships, unread, emptied, priority, force } = content;
    const request = {
      connectorId,
      syncId,
      partialRelationships,
      unread,
      increment: content.increment,
      document: content.document,
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
    return this.#graph.sync(request, { onDangling: 'skip' });
  }

  override lastSync(connectorId: string): SyncCounts | undefined {
    return this.#graph.lastSyncs().find(({ connector_id: id }) => id === connectorId)?.reply;
  }
}

/** The connectors configured in a directory; none without one. Throws the errors of `loadConnectors`. */
export async function readConnectors(
  directory: string,
  disk: Disk,
  options: Pick<LoadOptions, 'environment' | 'log'>,
): Promise<readonly ConfiguredConnector[]> {
  if (directory === '') return [];
  return loadConnectors(disk, directory, { types: firstPartyConnectors(disk), ...options });
}

/** Connector runs over a graph of this process, including those in its store. */
export function createConnectorRuns(
  graph: Graph,
  connectors: readonly ConfiguredConnector[],
  log: Pick<Log, 'info' | 'warn'>,
): Promise<ConnectorRuns> {
  for (const { id, fault } of connectors) {
    const fields = { event: 'connector.unconfigured', connector: id, reason: fault };
    if (fault !== undefined) log.warn(fields, 'connector cannot run');
  }
  const target = new GraphSyncTarget(graph);
  const { documents, leases } = graph;
  const entities = new SnapshotEntities(graph);
  return ConnectorRuns.open({ documents, leases, connectors, target, graph: entities, log });
}

/** Settings of connectors. */
export class ConnectorSettings {
  /** Directory of connector files; empty: no connectors. */
  readonly connectors: string = '';
}
