import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Store } from '#graph/storage';
import { Clock, Resources } from '#platform/foundation';
import { Log } from '#platform/observability';
import { registerGraphMetrics } from './graph-metrics.ts';
import { Graph } from './graph.ts';

export interface GraphModuleOptions {
  /** Retention of deleted records and stored replies. */
  readonly retentionMs: number;
}

/** The graph on the application's store. */
@Global()
@Module({})
export class GraphModule {
  static forRoot({ retentionMs }: GraphModuleOptions): DynamicModule {
    return {
      module: GraphModule,
      providers: [
        {
          provide: Graph,
          inject: [Store, Clock, Log, Registry, Resources],
          useFactory: async (
            storage: Store,
            clock: Clock,
            log: Log,
            registry: Registry,
            resources: Resources,
          ): Promise<Graph> => {
            const open = (): Promise<Graph> => Graph.over(storage, { clock, log, retentionMs });
            const graph = await resources.open(open, (opened) => opened.close(resources));
            registerGraphMetrics(registry, graph);
            return graph;
          },
        },
      ],
      exports: [Graph],
    };
  }
}
