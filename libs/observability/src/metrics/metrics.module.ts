import { type DynamicModule, Module } from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';
import { MetricsController } from './metrics.controller.ts';
import { registerProcessMetrics } from './process-metrics.ts';

export interface MetricsOptions {
  readonly registry: Registry;
  /** Starts every name; ends in an underscore. */
  readonly prefix: string;
  readonly version: string;
  readonly path: string;
}

/** Adds the process's metrics to the application's registry, and the page that shows all of it. */
@Module({})
export class MetricsModule {
  static forRoot({ registry, prefix, version, path }: MetricsOptions): DynamicModule {
    registerProcessMetrics(registry, prefix, version);
    const page = PrometheusModule.register({
      path,
      controller: MetricsController,
      defaultMetrics: { enabled: false },
    });
    const provider = { provide: Registry, useValue: registry };
    return {
      module: MetricsModule,
      imports: [{ ...page, providers: [...(page.providers ?? []), provider] }],
    };
  }
}
