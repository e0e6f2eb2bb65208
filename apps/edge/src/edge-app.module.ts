import { type DynamicModule, Module } from '@nestjs/common';
import { Registry } from 'prom-client';
import { StopSignal } from '#foundation';
import { Log, MetricsModule } from '#observability';
import { HealthController } from './http/health.controller.ts';
import { EdgeLife, type EdgeLifeOptions } from './life/edge-life.ts';

/** An edge: what the hive orders it to do, and over HTTP whether it lives, and what it counts. */
@Module({ controllers: [HealthController] })
export class EdgeAppModule {
  static forRoot(options: Omit<EdgeLifeOptions, 'logger' | 'registry'>): DynamicModule {
    return {
      module: EdgeAppModule,
      imports: [MetricsModule.forRoot()],
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
    };
  }
}
