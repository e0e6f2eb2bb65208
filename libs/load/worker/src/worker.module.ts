import { type DynamicModule, Module } from '@nestjs/common';
import { StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { EdgeAgent, type EdgeAgentOptions } from './edge/edge-agent.ts';
import { EdgeHealthController } from './edge/edge-health.controller.ts';

export type WorkerOptions = Omit<EdgeAgentOptions, 'logger'>;

/** The metrics of the edge. */
const EDGE_METRICS = Symbol('edge metrics');

/** An edge: the executor of the hive's orders, and its health endpoint. */
@Module({ controllers: [EdgeHealthController] })
export class WorkerModule {
  static forRoot(options: WorkerOptions): DynamicModule {
    return {
      module: WorkerModule,
      imports: [PlatformModule],
      providers: [
        {
          provide: EdgeAgent,
          inject: [Log, StopSignal],
          useFactory: (logger: Log, stop: StopSignal): EdgeAgent => {
            const edge = new EdgeAgent({ ...options, logger });
            edge.evicted.catch((error: unknown) => stop.fail(error));
            return edge;
          },
        },
        { provide: EDGE_METRICS, inject: [EdgeAgent], useFactory: ({ metrics }: EdgeAgent) => metrics },
      ],
      exports: [EdgeAgent],
    };
  }
}
