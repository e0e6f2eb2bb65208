import { type DynamicModule, Module } from '@nestjs/common';
import { Disk } from '#disk';
import { assert, StopSignal } from '#foundation';
import { type LineLog, Log } from '#observability';
import type { ProxyConfig } from './config/proxy-config.ts';
import { logEvents } from './runner/log-events.ts';
import { ProxyRunner } from './runner/proxy-runner.ts';
import { ProxySource } from './source/proxy-source.port.ts';
import { EmbeddedProxy } from './sources/embedded/embedded-proxy.ts';
import { HaproxySource } from './sources/haproxy/haproxy-source.ts';

export interface ProxyModuleOptions {
  /** The configuration's file, which the embedded engine reads again. */
  readonly file: string;
  /** What it says at the start. */
  readonly config: ProxyConfig;
  /** For `token_env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where access logs go; undefined: nowhere. */
  readonly lines: LineLog | undefined;
}

/** A proxy: our own data plane, or HAProxy, as the configuration says. {@link ProxyRunner} starts it. */
@Module({})
export class ProxyModule {
  static forRoot(options: ProxyModuleOptions): DynamicModule {
    const { config } = options;
    return {
      module: ProxyModule,
      providers: [
        {
          provide: ProxySource,
          inject: [Disk, Log],
          useFactory: (disk: Disk, log: Log): ProxySource => {
            const source =
              config.engine.kind === 'haproxy' ? haproxy(config, disk, log) : embedded(options, disk);
            logEvents(source, log);
            return source;
          },
        },
        {
          provide: ProxyRunner,
          inject: [ProxySource, Log, StopSignal],
          useFactory: (source: ProxySource, log: Log, stop: StopSignal): ProxyRunner =>
            new ProxyRunner({ source, config, log, stop }),
        },
      ],
      exports: [ProxySource, ProxyRunner],
    };
  }
}

function embedded({ file, environment, lines }: ProxyModuleOptions, disk: Disk): EmbeddedProxy {
  return new EmbeddedProxy({ disk, file, environment, lines });
}

function haproxy({ engine, drain }: ProxyConfig, disk: Disk, log: Log): HaproxySource {
  assert(engine.socket !== undefined, 'expected an engine haproxy to have a socket');
  return new HaproxySource({ socket: engine.socket, config: engine.config, drain, disk, log });
}
