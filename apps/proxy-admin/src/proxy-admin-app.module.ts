import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type Logger, LoggingModule, MetricsModule } from '#observability';
import { ProxySource } from '#proxy';
import { EventHub } from './events/event-hub.ts';
import { EventsController } from './events/events.controller.ts';
import { AdminController } from './http/admin.controller.ts';
import { ControlController } from './http/control.controller.ts';
import { ProxyLife } from './life/proxy-life.ts';
import { SnapshotRegistry } from './metrics/snapshot-registry.ts';
import { PageController } from './ui/page.controller.ts';
import { VERSION } from './version.ts';

export interface ProxyAdminAppParts {
  readonly source: ProxySource;
  readonly life: ProxyLife;
  readonly hub: EventHub;
  readonly logger: Logger;
  /** Whether there is anything under `/admin/`. */
  readonly extensions: boolean;
}

const EXTENSIONS: readonly Type[] = [ControlController, EventsController, PageController];

/** The admin server of a proxy. */
@Module({})
export class ProxyAdminAppModule {
  static forParts({ source, life, hub, logger, extensions }: ProxyAdminAppParts): DynamicModule {
    return {
      module: ProxyAdminAppModule,
      imports: [
        LoggingModule.forRoot(logger),
        MetricsModule.forRoot({
          registry: new SnapshotRegistry(source),
          prefix: 'plexus_',
          version: VERSION,
          path: '/stats',
        }),
      ],
      controllers: [AdminController, ...(extensions ? EXTENSIONS : [])],
      providers: [
        { provide: ProxySource, useValue: source },
        { provide: ProxyLife, useValue: life },
        { provide: EventHub, useValue: hub },
      ],
    };
  }
}
