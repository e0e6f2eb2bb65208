import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Module,
  type ModuleMetadata,
} from '@nestjs/common';
import { PrometheusModule } from '@willsoto/nestjs-prometheus';
import { LoggerModule } from 'nestjs-pino';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { VERSION } from '#platform/foundation';
import type { Logger } from './logging/create-logger.ts';
import { droppedLogLines } from './logging/standard-error-log.ts';
import { MetricsController } from './metrics/metrics.controller.ts';

/** Prefix of every metric name. */
const PREFIX = 'plexus_';

export interface MetricsOptions {
  /** Path of the page; default `/metrics`. */
  readonly path?: string;
  /** Modules from which the registry's factory injects. */
  readonly imports?: ModuleMetadata['imports'];
  /** Default: an empty registry. */
  readonly registry?: Pick<FactoryProvider<Registry>, 'inject' | 'useFactory'>;
}

const EMPTY = { useFactory: (): Registry => new Registry() };

/** The application's registry with the process metrics, and the page that exposes it. */
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
 * Binds Nest's own lines to the program's logger; those about modules and routes get level `debug`. There is
 * no request middleware: it would cost each request more than a small query does.
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

/** Metrics of the process: CPU, memory, garbage collection, event-loop lag, log, and build. */
function registerProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const kind of ['handles', 'requests', 'resources']) {
    // A gauge with the name of a counter; the same value by type is a separate metric.
    registry.removeSingleMetric(`${PREFIX}nodejs_active_${kind}_total`);
  }
  const build = new Gauge({
    name: `${PREFIX}build_info`,
    help: 'Always 1; the labels identify the build',
    labelNames: ['version', 'node'],
    registers: [registry],
  });
  build.set({ version: VERSION, node: process.versions.node }, 1);
  const dropped = new Counter({
    name: `${PREFIX}log_lines_dropped_total`,
    help: 'Log lines dropped because the output was not read in time',
    registers: [registry],
    collect: () => {
      dropped.reset();
      dropped.inc(droppedLogLines());
    },
  });
}
