import { Module } from '@nestjs/common';
import { readEnvironment } from '#config';
import { type ConfiguredConnector, ConnectorRuns } from '#connector';
import { Disk } from '#disk';
import { Graph } from '#graph';
import { Log } from '#observability';
import { ConnectorsController } from '../http/connectors/connectors.controller.ts';
import { GRAPH_SETTINGS, type GraphSettings } from '../settings.ts';
import { createConnectorRuns, readConnectors } from './connector-service.ts';

/** The connectors that the settings' directory configures. */
export const CONFIGURED_CONNECTORS = Symbol('configured connectors');

/** Runs of the configured connectors; their schedules start when `ConnectorRuns` is told so. */
@Module({
  controllers: [ConnectorsController],
  providers: [
    {
      provide: CONFIGURED_CONNECTORS,
      inject: [GRAPH_SETTINGS, Disk],
      useFactory: ({ connectors }: GraphSettings, disk: Disk) =>
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
