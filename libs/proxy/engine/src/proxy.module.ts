import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { StopSignal } from '#platform/foundation';
import { type LineLog, Log } from '#platform/observability';
import { PlatformModule } from '#platform/runtime/module';
import type { ProxyConfig } from './config/proxy-config.ts';
import { EmbeddedProxy } from './embedded/embedded-proxy.ts';
import { logEvents } from './runner/log-events.ts';
import { ProxyRunner } from './runner/proxy-runner.ts';
import { ProxySource } from './source/proxy-source.port.ts';
import type { WorkersOptions } from './workers/worker-protocol.ts';

export interface ProxyModuleOptions {
  /** The configuration at startup. */
  readonly config: ProxyConfig;
  /** A module that exports a {@link ProxySource}: the data plane. */
  readonly source: DynamicModule;
}

export interface EmbeddedProxySettings {
  /** Path of the configuration, which is read again on reload. */
  readonly file: string;
  /** What it contains, if it can be read only once: then a reload reads the files that it names. */
  readonly text?: string | undefined;
  /** The variables to which `token_env` refers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The output of access logs; undefined for none. */
  readonly lines: LineLog | undefined;
  /** Undefined: this process carries the traffic. */
  readonly workers: WorkersOptions | undefined;
}

/** The life cycle of a proxy, over any data plane. {@link ProxyRunner} starts it. */
@Module({})
export class ProxyModule {
  static forRoot({ config, source }: ProxyModuleOptions): DynamicModule {
    return {
      module: ProxyModule,
      imports: [PlatformModule, source],
      providers: [
        {
          provide: ProxyRunner,
          inject: [ProxySource, Log, StopSignal],
          useFactory: (source: ProxySource, log: Log, stop: StopSignal): ProxyRunner => {
            logEvents(source, log);
            return new ProxyRunner({ source, config, log, stop });
          },
        },
      ],
      exports: [source, ProxyRunner],
    };
  }

  /** The built-in data plane. */
  static embedded(options: EmbeddedProxySettings): DynamicModule {
    return {
      module: EmbeddedProxyModule,
      imports: [PlatformModule],
      providers: [
        {
          provide: ProxySource,
          inject: [Disk],
          useFactory: (disk: Disk): ProxySource => new EmbeddedProxy({ ...options, disk }),
        },
      ],
      exports: [ProxySource],
    };
  }
}

@Module({})
class EmbeddedProxyModule {}
