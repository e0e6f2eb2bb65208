import { randomUUID } from 'node:crypto';
import type { Graph } from '#graph/engine';
import { readEnvironment } from '#platform/config';
import type { Disk } from '#platform/disk';
import type { Log } from '#platform/observability';
import { loadConnectors, type LoadOptions } from '../config/load-connectors.ts';
import type { ConfiguredConnector } from '../config/read-connector.ts';
import { ConnectorFiles, type ConnectorFilesOptions } from '../files/connector-files.ts';
import { FileImports } from '../import/file-imports.ts';
import { ConnectorRuns } from '../sync/connector-runs.ts';
import type { ConnectorSchedules } from '../sync/connector-schedules.ts';
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
  const entities = new SnapshotEntities(graph);
  return FileImports.open({
    documents: graph.documents,
    targetOf: (dryRun) => new GraphSyncTarget(graph, { dryRun, keepsCursors: false }),
    graph: entities,
    typesOfKeys: (keys) => entities.typesOfKeys(keys),
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
  /** Whether its files may be changed over HTTP. */
  readonly connectorsEditable: boolean = false;
  /** Variables with secrets of the service: a file that is changed over HTTP may not name them. */
  readonly ownSecrets: readonly string[] = [];
  /** Records changes of the files. */
  readonly changeAudit: ConnectorFilesOptions['audit'] = undefined;
}

/** The files of the settings, from which the connectors of the runs have been read. */
export function createConnectorFiles(
  settings: ConnectorSettings,
  disk: Disk,
  log: Log,
  schedules: ConnectorSchedules,
): ConnectorFiles {
  const { connectors: directory, connectorsEditable: isEditable, ownSecrets, changeAudit: audit } = settings;
  const loading = { types: firstPartyConnectors(disk), environment: readEnvironment(), log };
  return new ConnectorFiles({ disk, directory, isEditable, loading, ownSecrets, schedules, audit });
}
