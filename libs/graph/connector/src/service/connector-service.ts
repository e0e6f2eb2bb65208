import type { Graph } from '#graph/engine';
import type { Disk } from '#platform/disk';
import type { Log } from '#platform/observability';
import { loadConnectors } from '../config/load-connectors.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { ConnectorRuns } from '../sync/connector-runs.ts';
import { firstPartyConnectors } from './first-party.ts';
import { GraphSyncTarget } from './graph-sync-target.ts';
import { SnapshotEntities } from './snapshot-entities.ts';

/** The connectors that a directory configures; none without a directory. Errors as `loadConnectors`. */
export async function readConnectors(
  directory: string,
  disk: Disk,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ConfiguredConnector[]> {
  if (directory === '') return [];
  return loadConnectors(disk, directory, { types: firstPartyConnectors(disk), environment });
}

/** Runs of connectors over a graph of this process, and those that its store remembers. */
export function createConnectorRuns(
  graph: Graph,
  connectors: readonly ConfiguredConnector[],
  log: Pick<Log, 'info' | 'warn'>,
): Promise<ConnectorRuns> {
  for (const { id, fault } of connectors) {
    const fields = { event: 'connector.unconfigured', connector: id, reason: fault };
    if (fault !== undefined) log.warn(fields, 'a connector cannot run');
  }
  const target = new GraphSyncTarget(graph);
  const { documents } = graph;
  return ConnectorRuns.open({ connectors, target, documents, graph: new SnapshotEntities(graph), log });
}
