import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { Registry } from 'prom-client';
import { AuditedChanges } from '#platform/audit';
import { assert, VERSION } from '#platform/foundation';
import { OpenApi, PagesModule } from '#platform/http';
import { MetricsModule } from '#platform/observability/module';
import { constructed } from '#platform/runtime';
import { PlatformModule } from '#platform/runtime/module';
import { type ProxyConfig, ProxyRunner, ProxySource } from '#proxy/engine';
import { EXTENSION_ENDPOINTS, SPECIFIED_ENDPOINTS } from './endpoint/admin-endpoint.ts';
import { EventHub } from './events/event-hub.ts';
import { EventLog } from './events/event-log.ts';
import { EventsController } from './events/events.controller.ts';
import { metricsText } from './metrics/metrics-text.ts';
import { AdminRules } from './server/admin-rules.ts';
import { AdminController } from './server/admin.controller.ts';
import { ControlController } from './server/control.controller.ts';
import { AboutDto } from './server/control.dto.ts';

/** prom-client writes `Nan`; the text format requires `NaN`. */
const NAN_OF_PROM_CLIENT = / Nan$/gm;

/** A page with the proxy's own metrics, from one snapshot, followed by those of the process. */
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

const DOCUMENTATION = {
  title: 'Plexus proxy',
  description: 'The admin server of a proxy. Reads need no token.',
  version: VERSION,
  publicPaths: [...SPECIFIED_ENDPOINTS, ...EXTENSION_ENDPOINTS].map(({ path }) => path),
  metricsPath: '/stats',
};

const PAGE = PagesModule.forRoot({ page: 'proxy', at: 'admin/ui', assets: 'admin/assets' });
const EXTENSIONS: readonly Type[] = [ControlController, EventsController];

/** The endpoints of a proxy's admin server. `proxy` is the module that exports the proxy. */
@Module({})
export class AdminModule {
  static forRoot({
    proxy,
    config,
    audit = new AuditedChanges(),
  }: {
    readonly proxy: DynamicModule;
    readonly config: ProxyConfig;
    /** Takes the event of each change. */
    readonly audit?: AuditedChanges | undefined;
  }): DynamicModule {
    const { extensions } = config.admin;
    return {
      module: AdminModule,
      imports: [
        PlatformModule,
        proxy,
        MetricsModule.forRoot({
          path: '/stats',
          imports: [proxy],
          registry: constructed(SnapshotRegistry, [ProxySource]),
        }),
        ...(extensions ? [PAGE] : []),
      ],
      controllers: [AdminController, ...(extensions ? EXTENSIONS : [])],
      providers: [
        { provide: AuditedChanges, useValue: audit },
        { provide: AboutDto, useFactory: (): AboutDto => about(config) },
        { provide: OpenApi, useFactory: (): OpenApi => new OpenApi(DOCUMENTATION) },
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

function about({ admin, adminAddress, engine }: ProxyConfig): AboutDto {
  assert(adminAddress !== undefined, 'expected an admin server to have an address');
  return {
    name: admin.name ?? hostname(),
    version: VERSION,
    engine: engine.kind,
    changes: new AdminRules(admin, adminAddress).changes,
  };
}
