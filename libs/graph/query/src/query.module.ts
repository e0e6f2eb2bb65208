import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Graph } from '#graph/engine';
import { Clock } from '#platform/foundation';
import { Log } from '#platform/observability';
import { QueryEngine } from './execute/query-engine.ts';
import { SavedQueries } from './saved/saved-queries.ts';
import { createQueryEngine, createQueryService, QueryService } from './service/query-service.ts';
import { QuerySettings } from './service/query-settings.ts';

/** PQL: the service with its limits, the engine for controllers with their own queries, saved queries. */
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
