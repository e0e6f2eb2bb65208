import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { readEnvironment } from '#platform/config';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import type { ConfiguredConnector } from './config/read-connector.ts';
import { ConnectorSettings, createConnectorRuns, readConnectors } from './service/connector-service.ts';
import { ConnectorRuns } from './sync/connector-runs.ts';
import { ConnectorSchedules } from './sync/connector-schedules.ts';

/** The connectors in the directory of the settings. */
export const CONFIGURED_CONNECTORS = Symbol('configured connectors');

/** Runs of the configured connectors; `ConnectorSchedules` starts their schedules. */
@Module({
  providers: [
    {
      provide: CONFIGURED_CONNECTORS,
      inject: [ConnectorSettings, Disk, Log],
      useFactory: ({ connectors }: ConnectorSettings, disk: Disk, log: Log) =>
        readConnectors(connectors, disk, { environment: readEnvironment(), log }),
    },
    {
      provide: ConnectorRuns,
      inject: [Graph, CONFIGURED_CONNECTORS, Log],
      useFactory: (graph: Graph, configured: readonly ConfiguredConnector[], log: Log) =>
        createConnectorRuns(graph, configured, log),
    },
    {
      provide: ConnectorSchedules,
      inject: [ConnectorRuns, Graph, Log],
      useFactory: (runs: ConnectorRuns, { leadership, ticks }: Graph, log: Log) =>
        new ConnectorSchedules({ runs, leadership, ticks, log }),
    },
  ],
  exports: [ConnectorRuns, ConnectorSchedules],
})
export class ConnectorModule {}
