import type { Disk } from '#disk';
import { assert } from '#foundation';
import type { LineLog, Log } from '#observability';
import { type DrainResult, EmbeddedProxy, HaproxySource, type ProxyConfig, type ProxySource } from '#proxy';

/** What carries the traffic. */
export interface Engine {
  readonly source: ProxySource;
  /** How the end of this process ends the traffic. */
  stop(): Promise<DrainResult>;
  /** The configuration that holds now; undefined where a reload cannot change it. */
  configNow(): ProxyConfig | undefined;
}

export interface EngineParts {
  readonly file: string;
  readonly config: ProxyConfig;
  readonly disk: Disk;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Where access logs go. */
  readonly lines: LineLog | undefined;
}

export function createEngine(parts: EngineParts): Engine {
  return parts.config.engine.kind === 'haproxy' ? haproxyEngine(parts) : embeddedEngine(parts);
}

function embeddedEngine({ disk, file, environment, lines }: EngineParts): Engine {
  const source = new EmbeddedProxy({ disk, file, environment, lines });
  return { source, stop: () => source.drain(), configNow: () => source.config };
}

/** HAProxy is another process: it goes on when this one ends. */
function haproxyEngine({ config, disk, log }: EngineParts): Engine {
  const { engine, drain } = config;
  assert(engine.socket !== undefined, 'expected an engine haproxy to have a socket');
  const source = new HaproxySource({ socket: engine.socket, config: engine.config, drain, disk, log });
  const stop = async (): Promise<DrainResult> => {
    source.close();
    return { cutConnections: 0, cutRequests: 0 };
  };
  return { source, stop, configNow: () => undefined };
}
