import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type ModuleMetadata,
} from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { LoggerModule } from 'nestjs-pino';
import { Registry } from 'prom-client';
import type { Logger } from './logging/create-logger.ts';
import { MetricsController } from './metrics/metrics.controller.ts';
import { registerProcessMetrics } from './metrics/process-metrics.ts';

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

/**
 * Binds Nest's own lines to the program's logger, those about its modules and routes at level `debug` only.
 * No middleware for requests: it would cost each of them more than a small query does.
 */
@Module({})
export class LoggingModule {
  static forRoot(logger: Logger): DynamicModule {
    const own = logger.child({}, { level: logger.isLevelEnabled('debug') ? 'debug' : 'warn' });
    return {
      module: LoggingModule,
      imports: [LoggerModule.forRoot({ pinoHttp: { logger: own, autoLogging: false }, forRoutes: [] })],
    };
  }
}
