import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { MetricsModule } from '#platform/observability/module';
import { ProxyRunner, ProxySource } from '#proxy/engine';
import { EventHub } from './events/event-hub.ts';
import { EventLog } from './events/event-log.ts';
import { EventsController } from './events/events.controller.ts';
import { SnapshotRegistry } from './metrics/snapshot-registry.ts';
import { PageController } from './page/page.controller.ts';
import { AdminController } from './server/admin.controller.ts';
import { ControlController } from './server/control.controller.ts';

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
