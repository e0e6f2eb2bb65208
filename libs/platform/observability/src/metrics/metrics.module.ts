import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type ModuleMetadata,
} from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { Registry } from 'prom-client';
import { MetricsController } from './metrics.controller.ts';
import { registerProcessMetrics } from './process-metrics.ts';

export interface MetricsOptions {
  /** Of the page; default `/metrics`. */
  readonly path?: string;
  /** What the registry's factory injects from. */
  readonly imports?: ModuleMetadata['imports'];
  /** Default: an empty one. */
  readonly registry?: Pick<FactoryProvider<Registry>, 'inject' | 'useFactory'>;
}

const EMPTY = { useFactory: (): Registry => new Registry() };

/** The application's registry, with the process's metrics, and the page that shows all of it. */
@Global()
@Module({})
export class MetricsModule {
  static forRoot({ path = '/metrics', imports = [], registry = EMPTY }: MetricsOptions = {}): DynamicModule {
    const { inject = [], useFactory } = registry;
    return {
      module: MetricsModule,
      imports: [
        ...imports,
        PrometheusModule.register({
          path,
          controller: MetricsController,
          defaultMetrics: { enabled: false },
        }),
      ],
      providers: [
        {
          provide: Registry,
          inject: [...inject],
          useFactory: async (...dependencies: unknown[]): Promise<Registry> => {
            const made = await useFactory(...dependencies);
            registerProcessMetrics(made);
            return made;
          },
        },
      ],
      exports: [Registry],
    };
  }
}
