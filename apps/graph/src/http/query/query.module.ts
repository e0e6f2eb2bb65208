import { Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '#foundation';
import { Graph } from '#graph';
import { QueryEngine } from '#query';
import { GRAPH_SETTINGS, type GraphSettings } from '../../settings.ts';
import { createQueryEngine, createQueryService, QueryService } from './query-service.ts';
import { QueryController } from './query.controller.ts';

/** PQL over HTTP; the engine for controllers that run queries of their own. */
@Module({
  controllers: [QueryController],
  providers: [
    { provide: QueryEngine, inject: [Clock], useFactory: createQueryEngine },
    {
      provide: QueryService,
      inject: [Graph, GRAPH_SETTINGS, Registry, Clock, QueryEngine],
      useFactory: (
        ...[graph, settings, registry, clock, engine]: [Graph, GraphSettings, Registry, Clock, QueryEngine]
      ): QueryService => createQueryService({ graph, settings, registry, clock, engine }),
    },
  ],
  exports: [QueryEngine, QueryService],
})
export class QueryModule {}
