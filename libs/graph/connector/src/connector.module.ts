import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { readEnvironment } from '#platform/config';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import { constructed, settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { ConnectorFiles } from './files/connector-files.ts';
import { FileImports } from './import/file-imports.ts';
import {
  ConnectorSettings,
  createConnectorFiles,
  createConnectorRuns,
  createFileImports,
  readConnectors,
} from './service/connector-service.ts';
import { ConnectorRuns } from './sync/connector-runs.ts';
import { ConnectorSchedules } from './sync/connector-schedules.ts';

/** The connectors in the directory of the settings. */
export const CONFIGURED_CONNECTORS = Symbol('configured connectors');

/** Runs of the configured connectors; `ConnectorSchedules` starts their schedules. */
@Module({
  imports: [PlatformModule, GraphModule],
  providers: [
    settingsOf(ConnectorSettings),
    {
      provide: CONFIGURED_CONNECTORS,
      inject: [ConnectorSettings, Disk, Log],
      useFactory: ({ connectors }: ConnectorSettings, disk: Disk, log: Log) =>
        readConnectors(connectors, disk, { environment: readEnvironment(), log }),
    },
    { provide: ConnectorRuns, inject: [Graph, CONFIGURED_CONNECTORS, Log], useFactory: createConnectorRuns },
    {
      provide: FileImports,
      inject: [Graph, ConnectorRuns, Log],
      useFactory: (graph: Graph, runs: ConnectorRuns, log: Log): Promise<FileImports> =>
        createFileImports(graph, (id) => runs.connectors.some((connector) => connector.id === id), log),
    },
    constructed(ConnectorSchedules, [ConnectorRuns, Graph, Log]),
    {
      provide: ConnectorFiles,
      inject: [ConnectorSettings, Disk, Log, ConnectorSchedules],
      useFactory: createConnectorFiles,
    },
  ],
  exports: [ConnectorFiles, ConnectorRuns, ConnectorSchedules, FileImports],
})
export class ConnectorModule {}
