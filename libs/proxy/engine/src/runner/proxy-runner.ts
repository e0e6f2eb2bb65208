import { isDeepStrictEqual } from 'node:util';
import type { StopSignal } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { ProxyConfig } from '../config/proxy-config.ts';
import type { DrainResult, ProxySource, ReloadResult } from '../source/proxy-source.port.ts';

export interface ProxyRunnerOptions {
  readonly source: ProxySource;
  /** The configuration at startup. */
  readonly config: ProxyConfig;
  readonly log: Log;
  readonly stop: StopSignal;
}

/** Runs a proxy from its start to its end, and handles all requests to stop. */
export class ProxyRunner {
  readonly #source: ProxySource;
  readonly #log: Log;
  readonly #stop: StopSignal;
  readonly #ended = Promise.withResolvers<undefined>();
  #ending: Promise<DrainResult> | undefined;
  #isStarted = false;

  constructor({ source, config, log, stop }: ProxyRunnerOptions) {
    this.#source = source;
    this.#log = log;
    this.#stop = stop;
    source.onEvent((event) => {
      if (event.type !== 'config_reload' || event.result !== 'applied') return;
      this.#warnOfRestart(config);
      warnOf(source.config, log);
    });
  }

  /** Resolves when the traffic has ended. */
  get ended(): Promise<unknown> {
    return this.#ended.promise;
  }

  /**
   * Resolves when the proxy is LIVE; with false when it is to stop before. Rejects when it cannot start.
   */
  async start(): Promise<boolean> {
    if (!this.#isCalledOff) await Promise.race([this.#source.start(), this.#stop.promise, this.ended]);
    this.#isStarted = true;
    return !this.#isCalledOff;
  }

  reload(): Promise<ReloadResult> {
    return this.#source.reload();
  }

  /** Drains the proxy, then ends the application. A second call joins the first. */
  drain(reason: string): void {
    void this.#end(reason, () => this.#source.drain());
    this.#stop.request(reason);
  }

  /** Nest's hook before HTTP closes: the admin server responds until the traffic has ended. */
  async beforeApplicationShutdown(): Promise<void> {
    try {
      if (!this.#isStarted && this.#ending === undefined) await this.#source.stop();
      else this.#logEnd(await this.#end(this.#stop.reason ?? 'shutdown', () => this.#source.stop()));
    } finally {
      this.#ended.resolve(undefined);
    }
  }

  get #isCalledOff(): boolean {
    return this.#stop.reason !== undefined || this.#ending !== undefined;
  }

  #end(reason: string, end: () => Promise<DrainResult>): Promise<DrainResult> {
    if (this.#ending !== undefined) return this.#ending;
    this.#log.info({ event: 'proxy.draining', reason }, 'draining');
    this.#ending = end();
    // The hook at the end handles the rejection.
    this.#ending.catch(() => undefined);
    return this.#ending;
  }

  #logEnd(cut: DrainResult): void {
    this.#log.info({ event: 'proxy.stopped', ...cut }, 'stopped');
  }

  /** The admin server and the number of workers change only at a restart. */
  #warnOfRestart(config: ProxyConfig): void {
    const { adminAddress, admin, workers } = this.#source.config ?? config;
    if (!isDeepStrictEqual([adminAddress, admin], [config.adminAddress, config.admin])) {
      this.#log.warn({ event: 'proxy.admin_changed' }, 'a change of the admin server requires a restart');
    }
    if (workers !== config.workers) {
      this.#log.warn({ event: 'proxy.workers_changed' }, 'a change of workers requires a restart');
    }
  }
}

/** Logs the warnings of a configuration. */
export function warnOf(config: ProxyConfig | undefined, log: Log): void {
  for (const warning of config?.warnings ?? []) {
    log.warn({ event: 'config.warning', warning }, 'configuration warning');
  }
}
