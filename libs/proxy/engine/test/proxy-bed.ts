import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import type { LineLog } from '#platform/observability';
import { EmbeddedProxy, type ListenerSnapshot, type ProxyEvent, type ProxySnapshot } from '#proxy/engine';
import { systemTimers, type Timers } from '../src/cluster/target/cluster-context.ts';
import type { WorkersOptions } from '../src/workers/worker-protocol.ts';
import { TurnedTimers } from './turned-timers.ts';

export interface BedOptions {
  readonly timers?: Timers;
  readonly watchEveryMs?: number;
  /** The names that can be resolved. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Files beside the configuration, by name. */
  readonly files?: Readonly<Record<string, string>>;
  /** Number of worker processes; undefined: this process. */
  readonly workers?: number;
}

/** A running proxy with its configuration in a temporary directory, written as JSON, which is YAML. */
export class ProxyBed {
  readonly directory = mkdtempSync(join(tmpdir(), 'plexus-proxy-'));
  readonly events: ProxyEvent[] = [];
  /** Lines of access logs. */
  readonly logged: object[] = [];
  readonly proxy: EmbeddedProxy;
  readonly #timers: Timers;
  #isStopped = false;

  static async start(config: unknown, options: BedOptions = {}): Promise<ProxyBed> {
    const bed = new ProxyBed(config, options);
    await bed.proxy.start();
    return bed;
  }

  constructor(config: unknown, options: BedOptions = {}) {
    const { timers = systemTimers, watchEveryMs = 0, files = {}, names, workers } = options;
    this.#timers = timers;
    for (const [name, content] of Object.entries(files)) this.writeFile(name, content);
    this.write(config);
    const file = this.configFile;
    this.proxy = new EmbeddedProxy({
      disk: new NodeDisk(),
      file,
      environment: {},
      lines: this.#lines(),
      timers,
      watchEveryMs,
      workers: workers === undefined ? undefined : this.#workers(workers),
      ...(names !== undefined && { resolve: async (name: string) => names[name] ?? [] }),
    });
    this.proxy.onEvent((event) => this.events.push(event));
  }

  get configFile(): string {
    return join(this.directory, 'proxy.yaml');
  }

  write(config: unknown): void {
    this.writeFile('proxy.yaml', typeof config === 'string' ? config : JSON.stringify(config));
  }

  writeFile(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.directory, name), content);
  }

  /** The bound port of a listener. */
  async port(listener: string): Promise<number> {
    const { address } = await this.listener(listener);
    return Number(address.slice(address.lastIndexOf(':') + 1));
  }

  async listener(name: string): Promise<ListenerSnapshot> {
    const { listeners } = await this.proxy.snapshot();
    const found = listeners.find((listener) => listener.name === name);
    if (found === undefined) throw new Error(`no listener ${name}`);
    return found;
  }

  /** Resolves when a snapshot satisfies `holds`; checks at every turn of the event loop. */
  async until(holds: (snapshot: ProxySnapshot) => boolean): Promise<ProxySnapshot> {
    for (;;) {
      const snapshot = await this.proxy.snapshot();
      if (holds(snapshot)) return snapshot;
      if (this.#isStopped) throw new Error('the proxy was stopped');
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Resolves when no connection is open and no request active. */
  atRest(): Promise<ProxySnapshot> {
    return this.until(isAtRest);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    const draining = this.proxy.drain();
    const over = draining.then(() => true);
    const timers = this.#timers;
    while (timers instanceof TurnedTimers) {
      if (await Promise.race([over, timers.turn(1_000).then(() => false)])) break;
    }
    await draining;
    this.#isStopped = true;
    rmSync(this.directory, { recursive: true });
  }

  #workers(count: number): WorkersOptions {
    const relay = (text: string): void => {
      for (const line of text.trimEnd().split('\n')) this.logged.push(JSON.parse(line) as object);
    };
    return { count, logging: { format: 'json', level: 'info' }, relay };
  }

  #lines(): LineLog {
    return {
      write: (message, fields) => this.logged.push(JSON.parse(`{"msg":"${message}",${fields}}`) as object),
    };
  }
}

/** Every gauge of the data plane is 0. */
export function isAtRest({ downstreamCxActive, listeners, clusters }: ProxySnapshot): boolean {
  return (
    downstreamCxActive === 0 &&
    listeners.every(({ cxActive, requestsActive }) => cxActive === 0 && requestsActive === 0) &&
    clusters.every(
      ({ breaker, retries, endpoints }) =>
        retries.active === 0 &&
        Object.values(breaker).every(({ used }) => used === 0) &&
        endpoints.every(
          ({ activeRequests, targets }) =>
            activeRequests === 0 && targets.every((target) => target.activeRequests === 0),
        ),
    )
  );
}
