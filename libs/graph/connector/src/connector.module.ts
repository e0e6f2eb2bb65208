import { Module } from '@nestjs/common';
import { Graph } from '#graph/engine';
import { readEnvironment } from '#platform/config';
import { Disk } from '#platform/disk';
import { Log } from '#platform/observability';
import type { ConfiguredConnector } from './config/read-connector.ts';
import { ConnectorSettings, createConnectorRuns, readConnectors } from './service/connector-service.ts';
import { ConnectorRuns } from './sync/connector-runs.ts';

/** The connectors that the settings' directory configures. */
export const CONFIGURED_CONNECTORS = Symbol('configured connectors');

/** Runs of the configured connectors; their schedules start when `ConnectorRuns` is told so. */
@Module({
  providers: [
    {
      provide: CONFIGURED_CONNECTORS,
      inject: [ConnectorSettings, Disk],
      useFactory: ({ connectors }: ConnectorSettings, disk: Disk) =>
        readConnectors(connectors, disk, readEnvironment()),
    },
    {
      provide: ConnectorRuns,
      inject: [Graph, CONFIGURED_CONNECTORS, Log],
      useFactory: (graph: Graph, configured: readonly ConfiguredConnector[], log: Log) =>
        createConnectorRuns(graph, configured, log),
    },
  ],
  exports: [ConnectorRuns],
})
export class ConnectorModule {}
