import { randomUUID } from 'node:crypto';
import type { Graph } from '#graph/engine';
import type { Disk } from '#platform/disk';
import type { Log } from '#platform/observability';
import { loadConnectors, type LoadOptions } from '../config/load-connectors.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { FileImports } from '../import/file-imports.ts';
import { ConnectorRuns } from '../sync/connector-runs.ts';
import { firstPartyConnectors } from './connector-list.ts';
import { GraphSyncTarget, SnapshotEntities } from './graph-ports.ts';

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

/** Imports of files into a graph of this process; `isConfigured` tells the ids of its connectors. */
export function createFileImports(
  graph: Graph,
  isConfigured: (id: string) => boolean,
  log: Pick<Log, 'info' | 'warn' | 'error'>,
): Promise<FileImports> {
  return FileImports.open({
    documents: graph.documents,
    targetOf: (dryRun) => new GraphSyncTarget(graph, { dryRun, keepsCursors: false }),
    graph: new SnapshotEntities(graph),
    forget: (connectorId) =>
      graph.syncInParts({ connectorId, syncId: randomUUID(), parts: () => [], force: true }),
    typesOf: firstPartyConnectors,
    isConfigured,
    log,
  });
}

/** Settings of connectors. */
export class ConnectorSettings {
  /** Directory of connector files; empty: no connectors. */
  readonly connectors: string = '';
}
