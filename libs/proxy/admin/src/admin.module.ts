import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import { MetricsModule } from '#platform/observability/module';
import { ProxyRunner, ProxySource } from '#proxy/engine';
import { EventHub } from './events/event-hub.ts';
import { EventLog } from './events/event-log.ts';
import { EventsController } from './events/events.controller.ts';
import { metricsText } from './metrics/metrics-text.ts';
import { PageController } from './page/page.controller.ts';
import { AdminController } from './server/admin.controller.ts';
import { ControlController } from './server/control.controller.ts';

/** The format knows one spelling. */
const NAN_OF_PROM_CLIENT = / Nan$/gm;

/** A page that begins with the proxy's own metrics, read from one snapshot, and ends with the process's. */
class SnapshotRegistry extends Registry {
  readonly #source: ProxySource;

  constructor(source: ProxySource) {
    super();
    this.#source = source;
  }

  override async metrics(): Promise<string> {
    const ofProcess = await super.metrics();
    return metricsText(await this.#source.snapshot()) + ofProcess.replaceAll(NAN_OF_PROM_CLIENT, ' NaN');
  }
}

const EXTENSIONS: readonly Type[] = [ControlController, EventsController, PageController];

/** The endpoints of a proxy's admin server. `proxy` is the module that exports the proxy. */
@Module({})
export class AdminModule {
  static forRoot(options: {
    readonly proxy: DynamicModule;
    /** Whether there is anything under `/admin/`. */
    readonly extensions: boolean;
  }): DynamicModule {
    return {
      module: AdminModule,
      imports: [
        options.proxy,
        MetricsModule.forRoot({
          path: '/stats',
          imports: [options.proxy],
          registry: {
            inject: [ProxySource],
            useFactory: (source: ProxySource): SnapshotRegistry => new SnapshotRegistry(source),
          },
        }),
      ],
      controllers: [AdminController, ...(options.extensions ? EXTENSIONS : [])],
      providers: [
        {
          provide: EventHub,
          inject: [ProxySource, ProxyRunner],
          useFactory: (source: ProxySource, runner: ProxyRunner): EventHub => {
            const hub = new EventHub(source, new EventLog(source, randomUUID()));
            void runner.ended.then(() => hub.close());
            return hub;
          },
        },
      ],
    };
  }
}
