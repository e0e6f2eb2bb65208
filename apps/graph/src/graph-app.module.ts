import { type DynamicModule, Global, Module } from '@nestjs/common';
import { type Admission, AuthModule } from '#auth';
import { VERSION } from '#foundation';
import { GraphModule } from '#graph/module';
import { MetricsModule } from '#observability';
import { OpenApiModule } from '#openapi';
import { StorageModule } from '#storage/module';
import { ConnectorModule } from './connectors/connector.module.ts';
import { FirstStartModule } from './first-start/first-start.module.ts';
import { BackupController } from './http/backup/backup.controller.ts';
import { REPLY_EXAMPLES } from './http/docs/reply-examples.ts';
import { HealthController } from './http/health/health.controller.ts';
import { BulkController } from './http/ingest/bulk.controller.ts';
import { IngestController } from './http/ingest/ingest.controller.ts';
import { SessionsController } from './http/ingest/sessions.controller.ts';
import { QUERY_REPLY_EXAMPLES } from './http/query/query-reply-examples.ts';
import { QueryModule } from './http/query/query.module.ts';
import { EntityController } from './http/record/entity.controller.ts';
import { RelationshipController } from './http/record/relationship.controller.ts';
import { SchemaController } from './http/schema/schema.controller.ts';
import { PolicyModule } from './policy/policy.module.ts';
import { GRAPH_SETTINGS, type GraphSettings } from './settings.ts';

export interface GraphAppOptions {
  readonly settings: GraphSettings;
  readonly admission: Admission;
  /** Cut a log with a corrupt middle there, and keep a copy. */
  readonly repair?: boolean;
  /** A package-lock.json that is loaded when the data directory is empty. */
  readonly firstStart?: string | undefined;
}

const DOCUMENTATION = {
  title: 'Plexus',
  description: 'A durable graph of what infrastructure consists of, and PQL to ask it.',
  version: VERSION,
  publicPaths: ['/v1/health'],
  metricsPath: '/metrics',
  replies: { ...REPLY_EXAMPLES, query: QUERY_REPLY_EXAMPLES },
};

/** The graph service. */
@Module({
  controllers: [
    HealthController,
    BackupController,
    IngestController,
    BulkController,
    SessionsController,
    EntityController,
    RelationshipController,
    SchemaController,
  ],
})
export class GraphAppModule {
  static forRoot({ settings, admission, repair = false, firstStart }: GraphAppOptions): DynamicModule {
    const { dataDir: directory, retention: retentionMs } = settings;
    return {
      module: GraphAppModule,
      imports: [
        GraphSettingsModule.forRoot(settings),
        MetricsModule.forRoot(),
        AuthModule.forRoot(admission),
        OpenApiModule.forRoot(DOCUMENTATION),
        StorageModule.forRoot({ directory, repair }),
        GraphModule.forRoot({ retentionMs }),
        FirstStartModule.forRoot({ lockFile: firstStart }),
        QueryModule,
        PolicyModule,
        ConnectorModule,
      ],
    };
  }
}

/** The settings, for every module of the service. */
@Global()
@Module({})
class GraphSettingsModule {
  static forRoot(settings: GraphSettings): DynamicModule {
    const providers = [{ provide: GRAPH_SETTINGS, useValue: settings }];
    return { module: GraphSettingsModule, providers, exports: [GRAPH_SETTINGS] };
  }
}
