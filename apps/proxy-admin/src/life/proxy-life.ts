import { isDeepStrictEqual } from 'node:util';
import type { Log } from '#observability';
import type { DrainResult, ProxyConfig, ReloadResult } from '#proxy';
import type { Engine } from './engine.ts';

/** Runs a proxy from its start to its end, whoever asks for the end. */
export class ProxyLife {
  /** Resolves when it is over. */
  readonly ended: Promise<DrainResult>;
  readonly #engine: Engine;
  readonly #log: Log;
  readonly #end = Promise.withResolvers<DrainResult>();
  #isEnding = false;

  constructor(engine: Engine, config: ProxyConfig, log: Log) {
    this.#engine = engine;
    this.#log = log;
    engine.source.onEvent((event) => {
      if (event.type === 'config_reload' && event.result === 'applied') this.#warnOfAdmin(config);
    });
    this.ended = this.#end.promise;
    // Met by whoever awaits it later on.
    this.ended.catch(() => undefined);
  }

  /** Resolves when it is LIVE, or when it has ended before. Rejects when it cannot be started. */
  async start(): Promise<void> {
    await Promise.race([this.#engine.source.start(), this.ended]);
  }

  reload(): Promise<ReloadResult> {
    return this.#engine.source.reload();
  }

  /** Lets what is under way end, then ends. A second call joins the first. */
  drain(reason: string): void {
    this.#endWith(reason, () => this.#engine.source.drain());
  }

  /** As the engine wants it when this process is told to end. */
  stop(signal: string): void {
    this.#endWith(signal, () => this.#engine.stop());
  }

  /** Ends it with an error: a promise of our own is broken. */
  fail(error: Error): void {
    this.#end.reject(error);
  }

  #endWith(reason: string, end: () => Promise<DrainResult>): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#log.info({ event: 'proxy.draining', reason }, 'draining');
    end().then(this.#end.resolve, this.#end.reject);
  }

  /** The admin server is what it was at the start. */
  #warnOfAdmin(config: ProxyConfig): void {
    const { adminAddress, admin } = this.#engine.configNow() ?? config;
    if (isDeepStrictEqual([adminAddress, admin], [config.adminAddress, config.admin])) return;
    this.#log.warn({ event: 'proxy.admin_changed' }, 'a change of the admin server takes a restart');
  }
}
