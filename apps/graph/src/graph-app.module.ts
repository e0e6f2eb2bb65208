import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { type ApiKeyGate, AuthModule } from '#auth';
import { ConnectorRuns } from '#connector';
import { type Clock, systemClock } from '#foundation';
import { Graph } from '#graph';
import { type Logger, LoggingModule, MetricsModule } from '#observability';
import { OpenApiModule } from '#openapi';
import { Policies } from '#policy';
import { Uptime } from '#web';
import { BackupController } from './http/backup/backup.controller.ts';
import { ConnectorsController } from './http/connectors/connectors.controller.ts';
import { QUERY_REPLY_EXAMPLES } from './http/query/query-reply-examples.ts';
import { REPLY_EXAMPLES } from './http/docs/reply-examples.ts';
import { HealthController } from './http/health/health.controller.ts';
import { BulkController } from './http/ingest/bulk.controller.ts';
import { IngestController } from './http/ingest/ingest.controller.ts';
import { SessionsController } from './http/ingest/sessions.controller.ts';
import { PoliciesController } from './http/policies/policies.controller.ts';
import { EvaluationsController } from './http/policies/evaluations.controller.ts';
import { QueryController } from './http/query/query.controller.ts';
import { createQueryService, QueryService } from './http/query/query-service.ts';
import { EntityController } from './http/record/entity.controller.ts';
import { RelationshipController } from './http/record/relationship.controller.ts';
import { SchemaController } from './http/schema/schema.controller.ts';
import type { GraphSettings } from './settings.ts';
import { VERSION } from './version.ts';

export interface GraphAppParts {
  readonly graph: Graph;
  readonly policies: Policies;
  readonly settings: GraphSettings;
  readonly logger: Logger;
  readonly gate: ApiKeyGate;
  readonly registry: Registry;
  readonly connectors: ConnectorRuns;
  readonly clock?: Clock;
}

const DOCUMENTATION = {
  title: 'Plexus',
  description: 'A durable graph of what infrastructure consists of, and PQL to ask it.',
  version: VERSION,
  publicPaths: ['/v1/health'],
  metricsPath: '/metrics',
  replies: { ...REPLY_EXAMPLES, query: QUERY_REPLY_EXAMPLES },
};

/** The graph service over HTTP: its controllers, and what they share. */
@Module({
  controllers: [
    HealthController,
    BackupController,
    QueryController,
    IngestController,
    BulkController,
    SessionsController,
    EntityController,
    RelationshipController,
    SchemaController,
    ConnectorsController,
    EvaluationsController,
    PoliciesController,
  ],
})
export class GraphAppModule {
  static forParts({
    graph,
    policies,
    settings,
    logger,
    gate,
    registry,
    connectors,
    clock = systemClock,
  }: GraphAppParts): DynamicModule {
    const queries = createQueryService({ graph, settings, registry, clock });
    return {
      module: GraphAppModule,
      imports: [
        LoggingModule.forRoot(logger),
        MetricsModule.forRoot({ registry, prefix: 'plexus_', version: VERSION, path: '/metrics' }),
        AuthModule.forRoot(gate),
        OpenApiModule.forRoot(DOCUMENTATION),
      ],
      providers: [
        { provide: Graph, useValue: graph },
        { provide: Policies, useValue: policies },
        { provide: ConnectorRuns, useValue: connectors },
        { provide: Uptime, useValue: new Uptime(clock) },
        { provide: QueryService, useValue: queries },
      ],
    };
  }
}
