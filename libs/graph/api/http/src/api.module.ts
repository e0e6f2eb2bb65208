import { type DynamicModule, Module } from '@nestjs/common';
import { ConnectorModule } from '#graph/connector/module';
import { CypherModule } from '#graph/cypher/module';
import { GraphModule } from '#graph/engine/module';
import { NotifyModule } from '#graph/notify/module';
import { PolicyModule } from '#graph/policy/module';
import { QueryModule } from '#graph/query/module';
import { SavedQueryModule } from '#graph/query/saved/module';
import { SearchModule } from '#graph/search/module';
import type { AuditTrail } from '#platform/audit';
import type { SingleSignOn } from '#platform/auth';
import { VERSION } from '#platform/foundation';
import { OpenApiModule, PagesModule } from '#platform/http';
import { PlatformModule } from '#platform/runtime/module';
import { ChangesController } from './changes/changes.controller.ts';
import { ConnectorFilesController } from './connectors/connector-files.controller.ts';
import { ConnectorTypesController } from './connectors/connector-types.controller.ts';
import { ConnectorsController } from './connectors/connectors.controller.ts';
import { SourcesController } from './connectors/sources.controller.ts';
import { CypherController } from './cypher/cypher.controller.ts';
import { DIFF_REPLY_EXAMPLES } from './diff/diff-reply-examples.ts';
import { DiffController } from './diff/diff.controller.ts';
import { FindingsController } from './findings/findings.controller.ts';
import { FirstStartModule } from './first-start/first-start.module.ts';
import { ImportsController } from './imports/imports.controller.ts';
import { BulkController } from './ingest/bulk.controller.ts';
import { IngestController } from './ingest/ingest.controller.ts';
import { SessionsController } from './ingest/sessions.controller.ts';
import { NotificationsController } from './notifications/notifications.controller.ts';
import { EvaluationsController } from './policies/evaluations.controller.ts';
import { PoliciesController } from './policies/policies.controller.ts';
import { QUERY_REPLY_EXAMPLES } from './query/query-reply-examples.ts';
import { QueryController } from './query/query.controller.ts';
import { EntityController } from './record/entity.controller.ts';
import { RelationshipController } from './record/relationship.controller.ts';
import { REPLY_EXAMPLES } from './reply-examples.ts';
import { SavedQueriesController } from './saved-queries/saved-queries.controller.ts';
import { ClassStylesController } from './saved-views/class-styles.controller.ts';
import { SavedViewsController } from './saved-views/saved-views.controller.ts';
import { SearchController } from './search/search.controller.ts';
import { SEQ_HEADER } from './seq-header.ts';
import { AuditController, KeptTrail } from './service/audit.controller.ts';
import { BackupController } from './service/backup.controller.ts';
import { HealthController } from './service/health.controller.ts';
import { SchemaController } from './service/schema.controller.ts';
import { SignInModule } from './sign-in/sign-in.module.ts';

const DOCUMENTATION = {
  title: 'Plexus',
  description: 'A graph database of infrastructure, with the query language PQL.',
  version: VERSION,
  publicPaths: ['/v1/health'],
  metricsPath: '/metrics',
  carriedHeader: SEQ_HEADER,
  replies: { ...REPLY_EXAMPLES, ...DIFF_REPLY_EXAMPLES, query: QUERY_REPLY_EXAMPLES },
};

export interface ApiOptions {
  /** A package-lock.json to load into a new graph. */
  readonly firstStart: string | undefined;
  /** Undefined: no trail is kept. */
  readonly audit?: AuditTrail | undefined;
  /** Undefined: keys only. */
  readonly signOn?: SingleSignOn | undefined;
}

/** The graph service over HTTP, and its documentation. */
@Module({
  controllers: [
    HealthController,
    AuditController,
    BackupController,
    IngestController,
    BulkController,
    SessionsController,
    EntityController,
    RelationshipController,
    SchemaController,
    QueryController,
    ChangesController,
    DiffController,
    CypherController,
    SearchController,
    SavedQueriesController,
    SavedViewsController,
    ClassStylesController,
    EvaluationsController,
    PoliciesController,
    FindingsController,
    ConnectorsController,
    ConnectorFilesController,
    ConnectorTypesController,
    SourcesController,
    ImportsController,
    NotificationsController,
  ],
})
export class ApiModule {
  static forRoot({ firstStart, audit, signOn }: ApiOptions): DynamicModule {
    return {
      module: ApiModule,
      providers: [{ provide: KeptTrail, useValue: new KeptTrail(audit) }],
      imports: [
        OpenApiModule.forRoot({ ...DOCUMENTATION, issuer: signOn?.issuer }),
        ...(signOn === undefined ? [] : [SignInModule.forRoot(signOn)]),
        PagesModule.forRoot({ page: 'console' }),
        FirstStartModule.forRoot({ lockFile: firstStart }),
        PlatformModule,
        GraphModule,
        QueryModule,
        SavedQueryModule,
        SearchModule,
        CypherModule,
        PolicyModule,
        ConnectorModule,
        NotifyModule,
      ],
    };
  }
}
