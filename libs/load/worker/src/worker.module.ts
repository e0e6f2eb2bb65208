import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { StopSignal } from '#platform/foundation';
import { Log } from '#platform/observability';
import { HealthController } from './api/health.controller.ts';
import { EdgeLife, type EdgeLifeOptions } from './edge/edge-life.ts';

export type WorkerOptions = Omit<EdgeLifeOptions, 'logger' | 'registry'>;

/** An edge: what the hive orders it to do, and over HTTP whether it is connected. */
@Module({ controllers: [HealthController] })
export class WorkerModule {
  static forRoot(options: WorkerOptions): DynamicModule {
    return {
      module: WorkerModule,
      providers: [
        {
          provide: EdgeLife,
          inject: [Log, Registry, StopSignal],
          useFactory: (logger: Log, registry: Registry, stop: StopSignal): EdgeLife => {
            const edge = new EdgeLife({ ...options, logger, registry });
            edge.evicted.catch((error: unknown) => stop.fail(error));
            return edge;
          },
        },
      ],
      exports: [EdgeLife],
    };
  }
}
