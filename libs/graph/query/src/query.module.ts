import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Graph } from '#graph/engine';
import { QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { Log } from '#platform/observability';
import { QueryEngine } from './execute/engine/query-engine.ts';
import { SavedQueries } from './saved/saved-queries.ts';
import { createQueryEngine, createQueryService, QueryService } from './service/query-service.ts';
import { QuerySettings } from './service/query-settings.ts';

/** PQL: the service with its limits, the engine for controllers with their own queries, saved queries. */
@Module({
  imports: [ExecutionModule],
  providers: [
    { provide: QueryEngine, inject: [Clock], useFactory: createQueryEngine },
    {
      provide: QueryService,
      inject: [Graph, QuerySettings, Registry, Clock, QueryEngine, QueryScheduler],
      useFactory: (
        graph: Graph,
        settings: QuerySettings,
        registry: Registry,
        clock: Clock,
        engine: QueryEngine,
        scheduler: QueryScheduler,
      ): QueryService => createQueryService({ graph, settings, registry, clock, engine, scheduler }),
    },
    {
      provide: SavedQueries,
      inject: [Graph, Clock, Log],
      useFactory: ({ documents }: Graph, clock: Clock, log: Log): Promise<SavedQueries> =>
        SavedQueries.open({ documents, clock, log }),
    },
  ],
  exports: [QueryEngine, QueryService, SavedQueries],
})
export class QueryModule {}
