import { Module } from '@nestjs/common';
import { makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Gauge } from 'prom-client';
import { Graph } from '#graph/engine';
import { GraphModule } from '#graph/engine/module';
import { QueryScheduler } from '#graph/execution';
import { ExecutionModule } from '#graph/execution/module';
import { Clock } from '#platform/foundation';
import { constructed, settingsOf } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { DiffService } from './diff/diff-service.ts';
import { QueryEngine } from './execute/engine/query-engine.ts';
import { ChangeFeed } from './feed/change-feed.ts';
import { createCursors, Cursors } from './service/cursors.ts';
import { QueryDurations } from './service/query-durations.ts';
import { createQueryEngine, QueryService } from './service/query-service.ts';
import { QuerySettings } from './service/query-settings.ts';

/** PQL: the service with its limits, and the engine for controllers with their own queries. */
@Module({
  imports: [PlatformModule, GraphModule, ExecutionModule],
  providers: [
    settingsOf(QuerySettings),
    { provide: QueryEngine, inject: [Clock], useFactory: createQueryEngine },
    { provide: Cursors, inject: [Clock, QuerySettings, Graph], useFactory: createCursors },
    constructed(QueryDurations, []),
    constructed(QueryService, [
      Graph,
      QueryEngine,
      QueryScheduler,
      Cursors,
      QueryDurations,
      QuerySettings,
      Clock,
    ]),
    {
      provide: ChangeFeed,
      inject: [Graph, Clock],
      useFactory: (graph: Graph, clock: Clock) => new ChangeFeed(graph, createQueryEngine(clock)),
    },
    constructed(DiffService, [Graph, QueryService, QueryScheduler, QuerySettings, Clock]),
    makeGaugeProvider({
      name: 'plexus_queries_running',
      help: 'queries that run now',
      registers: [],
      inject: [QueryScheduler],
      collect(this: Gauge, scheduler: QueryScheduler) {
        this.set(scheduler.running);
      },
    }),
    makeGaugeProvider({
      name: 'plexus_queries_waiting',
      help: 'queries that wait for their turn',
      registers: [],
      inject: [QueryScheduler],
      collect(this: Gauge, scheduler: QueryScheduler) {
        this.set(scheduler.waiting);
      },
    }),
    makeGaugeProvider({
      name: 'plexus_query_bytes',
      help: 'memory that running queries hold, about',
      registers: [],
      inject: [QueryScheduler],
      collect(this: Gauge, scheduler: QueryScheduler) {
        this.set(scheduler.heldBytes);
      },
    }),
    makeGaugeProvider({
      name: 'plexus_cursors',
      help: 'results kept behind cursors',
      registers: [],
      inject: [Cursors],
      collect(this: Gauge, cursors: Cursors) {
        this.set(cursors.size);
      },
    }),
    makeGaugeProvider({
      name: 'plexus_cursor_bytes',
      help: 'memory that results behind cursors hold, about',
      registers: [],
      inject: [Cursors],
      collect(this: Gauge, cursors: Cursors) {
        this.set(cursors.bytes);
      },
    }),
  ],
  // A query needs a snapshot of the graph.
  exports: [GraphModule, ChangeFeed, DiffService, QueryEngine, QueryService, QuerySettings],
})
export class QueryModule {}
