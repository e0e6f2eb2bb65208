import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { assert } from '#platform/foundation';
import { Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import { type ProxyConfig, ProxySource } from '#proxy/engine';
import { HaproxySource } from './haproxy-source.ts';

/** A running HAProxy as the data plane, observed and controlled through its runtime socket. */
@Module({})
export class HaproxyModule {
  static forRoot({ engine, drain }: ProxyConfig): DynamicModule {
    return {
      module: HaproxyModule,
      imports: [PlatformModule],
      providers: [
        {
          provide: ProxySource,
          inject: [Disk, Log],
          useFactory: (disk: Disk, log: Log): ProxySource => {
            assert(engine.socket !== undefined, 'expected engine haproxy to have a socket');
            return new HaproxySource({ socket: engine.socket, config: engine.config, drain, disk, log });
          },
        },
      ],
      exports: [ProxySource],
    };
  }
}
