import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { EdgeAgent, type EdgeAgentOptions } from './edge/edge-agent.ts';
import { EdgeHealthController } from './edge/edge-health.controller.ts';

export type WorkerOptions = Omit<EdgeAgentOptions, 'logger' | 'registry'>;

/** An edge: the executor of the hive's orders, and its health endpoint. */
@Module({ controllers: [EdgeHealthController] })
export class WorkerModule {
  static forRoot(options: WorkerOptions): DynamicModule {
    return {
      module: WorkerModule,
      providers: [
        {
          provide: EdgeAgent,
          inject: [Log, Registry, StopSignal],
          useFactory: (logger: Log, registry: Registry, stop: StopSignal): EdgeAgent => {
            const edge = new EdgeAgent({ ...options, logger, registry });
            edge.evicted.catch((error: unknown) => stop.fail(error));
            return edge;
          },
        },
      ],
      exports: [EdgeAgent],
    };
  }
}
