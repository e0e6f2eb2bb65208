import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Graph } from '#graph/engine';
import { Clock } from '#platform/foundation';
import { QueryEngine } from './execute/query-engine.ts';
import { createQueryEngine, createQueryService, QueryService } from './service/query-service.ts';
import { QuerySettings } from './service/query-settings.ts';

/** PQL: the service with its bounds, and the engine for controllers that run queries of their own. */
@Module({
  providers: [
    { provide: QueryEngine, inject: [Clock], useFactory: createQueryEngine },
    {
      provide: QueryService,
      inject: [Graph, QuerySettings, Registry, Clock, QueryEngine],
      useFactory: (
        ...[graph, settings, registry, clock, engine]: [Graph, QuerySettings, Registry, Clock, QueryEngine]
      ): QueryService => createQueryService({ graph, settings, registry, clock, engine }),
    },
  ],
  exports: [QueryEngine, QueryService],
})
export class QueryModule {}
