import {
  type DynamicModule,
  type FactoryProvider,
  Global,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  type OnModuleInit,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService } from '@nestjs/core';
import { makeCounterProvider, makeGaugeProvider, PrometheusModule } from '@willsoto/nestjs-prometheus';
import {
  collectDefaultMetrics,
  Counter,
  Gauge,
  Histogram,
  type Metric,
  register,
  Registry,
  Summary,
} from 'prom-client';
import { VERSION } from '#platform/foundation';
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
        DiscoveryModule,
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
        MetricProviders,
        makeGaugeProvider({
          name: `${PREFIX}build_info`,
          help: 'Always 1; the labels identify the build',
          labelNames: ['version', 'node'],
          registers: [],
          collect(this: Gauge<'version' | 'node'>) {
            this.set({ version: VERSION, node: process.versions.node }, 1);
          },
        }),
        makeCounterProvider({
          name: `${PREFIX}log_lines_dropped_total`,
          help: 'Log lines dropped because the output was not read in time',
          registers: [],
          collect(this: Counter) {
            this.reset();
            this.inc(droppedLogLines());
          },
        }),
      ],
      exports: [Registry],
    };
  }
}

/**
 * Puts the metrics of all providers, and those of providers that are registries, on the application's page.
 * nestjs-prometheus registers a metric in the registry of prom-client unless its provider says `registers:
 * []`: from there it is moved, so that applications of one process have metrics of their own.
 */
@Injectable()
class MetricProviders implements OnModuleInit {
  readonly #discovery: DiscoveryService;
  readonly #registry: Registry;

  constructor(@Inject(DiscoveryService) discovery: DiscoveryService, @Inject(Registry) registry: Registry) {
    this.#discovery = discovery;
    this.#registry = registry;
  }

  onModuleInit(): void {
    for (const { instance } of this.#discovery.getProviders() as readonly { readonly instance: unknown }[]) {
      if (isMetric(instance)) this.#add(instance);
      else if (instance instanceof Registry && instance !== this.#registry)
        for (const metric of instance.getMetricsAsArray()) if (isMetric(metric)) this.#add(metric);
    }
  }

  #add(metric: NamedMetric): void {
    this.#registry.registerMetric(metric);
    const { name } = metric;
    if (register.getSingleMetric(name) === metric) register.removeSingleMetric(name);
  }
}

type NamedMetric = Metric & { readonly name: string };

function isMetric(instance: unknown): instance is NamedMetric {
  return [Counter, Gauge, Histogram, Summary].some((type) => instance instanceof type);
}

/** Metrics of the process: CPU, memory, garbage collection, event-loop lag. */
function registerProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, prefix: PREFIX });
  for (const kind of ['handles', 'requests', 'resources']) {
    // A gauge with the name of a counter; the same value by type is a separate metric.
    registry.removeSingleMetric(`${PREFIX}nodejs_active_${kind}_total`);
  }
}
