import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#platform/disk';
import { StopSignal } from '#platform/foundation';
import { type LineLog, Log } from '#platform/observability';
import type { ProxyConfig } from './config/proxy-config.ts';
import { EmbeddedProxy } from './embedded/embedded-proxy.ts';
import { logEvents } from './runner/log-events.ts';
import { ProxyRunner } from './runner/proxy-runner.ts';
import { ProxySource } from './source/proxy-source.port.ts';
import type { WorkersOptions } from './workers/worker-protocol.ts';

export interface ProxyModuleOptions {
  /** What the configuration says at the start. */
  readonly config: ProxyConfig;
  /** A module that exports a {@link ProxySource}: the data plane. */
  readonly source: DynamicModule;
}

export interface EmbeddedProxySettings {
  /** The configuration's file, which is read again on reload. */
  readonly file: string;
  /** For `token_env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where access logs go; undefined: nowhere. */
  readonly lines: LineLog | undefined;
  /** Undefined: this process carries the traffic. */
  readonly workers: WorkersOptions | undefined;
}

/** A proxy from its start to its end, over any data plane. {@link ProxyRunner} starts it. */
@Module({})
export class ProxyModule {
  static forRoot({ config, source }: ProxyModuleOptions): DynamicModule {
    return {
      module: ProxyModule,
      imports: [source],
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

  /** The data plane of our own. */
  static embedded(options: EmbeddedProxySettings): DynamicModule {
    return {
      module: EmbeddedProxyModule,
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
