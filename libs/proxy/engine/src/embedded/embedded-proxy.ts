import type { Disk } from '#platform/disk';
import { assert, DomainError } from '#platform/foundation';
import type { LineLog } from '#platform/observability';
import { systemProbe } from '../cluster/health/system-probe.ts';
import { type Resolve, systemResolve, systemTimers, type Timers } from '../cluster/target/cluster-context.ts';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import { fingerprintNow, type LoadedConfig, loadProxyConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { ProxyEvent } from '../source/proxy-event.ts';
import {
  type DrainResult,
  type EndpointChange,
  ProxySource,
  type ReloadResult,
} from '../source/proxy-source.port.ts';
import type { BreakerRejections, ProxySnapshot, ServerState } from '../source/snapshot.ts';
import type { WorkersOptions } from '../workers/worker-protocol.ts';
import { WorkersPlane } from '../workers/workers-plane.ts';
import { ConfigWatch } from './config-watch.ts';
import type { DataPlane, DataPlaneChange } from '../plane/data-plane.port.ts';
import { LocalPlane } from '../plane/local-plane.ts';

const WATCH_EVERY_MS = 2_000;

export interface EmbeddedProxyOptions {
  readonly disk: Disk;
  /** Path of the configuration. */
  readonly file: string;
  /** What it contains, if it can be read only once. */
  readonly text?: string | undefined;
  /** The variables to which `token_env` refers. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The output of the listeners' access logs; undefined for none. */
  readonly lines: LineLog | undefined;
  /** Interval at which the files are read; 0: never. */
  readonly watchEveryMs?: number;
  readonly timers?: Timers;
  /** Resolves names; default: the system's resolver. */
  readonly resolve?: Resolve;
  /** Undefined: this process carries the traffic. */
  readonly workers?: WorkersOptions | undefined;
}

/**
 * The built-in data plane. It reads its configuration itself, at the start and at each reload: an invalid one
 * changes nothing.
 */
export class EmbeddedProxy extends ProxySource {
  readonly #options: EmbeddedProxyOptions;
  readonly #timers: Timers;
  readonly #plane: DataPlane;
  readonly #watch: ConfigWatch;
  readonly #onEvent = new Set<(event: ProxyEvent) => void>();
  readonly #reloads = { applied: 0, rejected: 0, unchanged: 0 };
  readonly #bornMs: number;
  /** Aborted by a drain. */
  readonly #stopping = new AbortController();
  #state: ServerState = 'PRE_INITIALIZING';
  #loaded: LoadedConfig | undefined;
  /** The first configuration, before it is active. */
  #coming: LoadedConfig | undefined;
  #starting: Promise<void> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #draining: Promise<DrainResult> | undefined;
  #cut: DrainResult = { cutConnections: 0, cutRequests: 0 };

  constructor(options: EmbeddedProxyOptions) {
    super();
    const {
      disk,
      file,
      text,
      lines,
      timers = systemTimers,
      watchEveryMs = WATCH_EVERY_MS,
      resolve = systemResolve,
      workers,
    } = options;
    this.#options = options;
    this.#timers = timers;
    this.#bornMs = timers.monotonicMs();
    const context = {
      timers,
      random: Math.random,
      probe: systemProbe,
      resolve,
      emit: (event: ProxyEvent) => this.#emit(event),
    };
    this.#plane =
      workers === undefined ? new LocalPlane({ context, lines }) : new WorkersPlane(context, workers);
    this.#watch = new ConfigWatch({
      timers,
      everyMs: watchEveryMs,
      look: () => fingerprintNow({ disk, file, text }, this.#loaded?.files ?? []),
      known: () => this.#loaded?.fingerprint,
      onChange: async () => {
        await this.reload();
      },
    });
  }

  override get config(): ProxyConfig | undefined {
    return this.#loaded?.config;
  }

  override stop(): Promise<DrainResult> {
    return this.drain();
  }

  override async start(): Promise<void> {
    assert(this.#state === 'PRE_INITIALIZING', 'expected a proxy to be started once');
    this.#starting = this.#start();
    await this.#starting;
  }

  override async snapshot(): Promise<ProxySnapshot> {
    const traffic = await this.#plane.snapshot();
    const { downstreamCxTotal, downstreamCxActive, listeners, removedListeners, clusters } = traffic;
    const { breakerRejections, workers, drain } = traffic;
    const isServing = workers?.every((worker) => worker.isServing) ?? true;
    return {
      state: this.#state === 'LIVE' && !isServing ? 'INITIALIZING' : this.#state,
      uptimeMs: this.#timers.monotonicMs() - this.#bornMs,
      downstreamCxTotal,
      downstreamCxActive,
      circuitBreakerRejected: sumOf(breakerRejections),
      listeners,
      removedListeners: removedListeners.filter(({ cxActive }) => cxActive > 0),
      clusters,
      routeCount: (this.#loaded ?? this.#coming)?.config.routes.length ?? 0,
      configReloads: { ...this.#reloads },
      drain: {
        cutConnections: drain.cutConnections + this.#cut.cutConnections,
        cutRequests: drain.cutRequests + this.#cut.cutRequests,
      },
      breakerRejections,
      workers,
    };
  }

  /** Reloads run one after another. */
  override reload(): Promise<ReloadResult> {
    const run = (): Promise<ReloadResult> => this.#reload();
    const reloading = this.#reloading.then(run, run);
    this.#reloading = reloading;
    return reloading;
  }

  override drain(): Promise<DrainResult> {
    this.#draining ??= this.#drain();
    return this.#draining;
  }

  override async setEndpoint(change: EndpointChange): Promise<boolean> {
    if (this.#state === 'PRE_INITIALIZING' || this.#state === 'INITIALIZING') {
      throw new DomainError('CONFLICT', `the proxy is ${this.#state}: it has no endpoints in service yet`);
    }
    return this.#plane.setEndpoint(change);
  }

  override async explain(question: Question): Promise<Explanation> {
    const { config } = this;
    if (config === undefined) {
      throw new DomainError('CONFLICT', `the proxy is ${this.#state}: it has no configuration in service`);
    }
    return this.#plane.explain(config, question);
  }

  override onEvent(listener: (event: ProxyEvent) => void): () => void {
    this.#onEvent.add(listener);
    return () => this.#onEvent.delete(listener);
  }

  async #start(): Promise<void> {
    this.#enter('INITIALIZING');
    const loaded = await this.#load();
    this.#coming = loaded;
    const change = await this.#plane.prepare(loaded, this.#stopping.signal);
    if (this.#stopping.signal.aborted) {
      this.#coming = undefined;
      change.abandon();
      return;
    }
    await this.#hold(loaded, change);
    this.#watch.start();
    this.#enter('LIVE');
  }

  async #reload(): Promise<ReloadResult> {
    if (this.#state !== 'LIVE') return { result: 'rejected', faults: [`the proxy is ${this.#state}`] };
    try {
      const loaded = await this.#load();
      const isNews = loaded.fingerprint !== this.#loaded?.fingerprint;
      if (isNews) await this.#change(loaded);
      return this.#noteReload(isNews ? 'applied' : 'unchanged', []);
    } catch (error) {
      if (!(error instanceof InvalidProxyConfig)) throw error;
      return this.#noteReload('rejected', error.faults);
    }
  }

  async #change(loaded: LoadedConfig): Promise<void> {
    const change = await this.#plane.prepare(loaded, this.#stopping.signal);
    if (this.#state === 'LIVE') {
      await this.#hold(loaded, change);
      return;
    }
    change.abandon();
    throw new InvalidProxyConfig([`the proxy is ${this.#state}`]);
  }

  /** Activates the configuration in one step. Resolves when removed listeners are closed. */
  #hold(loaded: LoadedConfig, change: DataPlaneChange): Promise<void> {
    this.#loaded = loaded;
    return change.commit();
  }

  /** Becomes not ready at once, so that load balancers switch over before connections are rejected. */
  async #drain(): Promise<DrainResult> {
    const startedMs = this.#timers.monotonicMs();
    this.#enter('DRAINING');
    this.#stopping.abort();
    this.#watch.stop();
    await Promise.allSettled([this.#starting, this.#reloading]);
    const { graceMs, timeoutMs } = this.config?.drain ?? { graceMs: 0, timeoutMs: 0 };
    const passedMs = this.#timers.monotonicMs() - startedMs;
    this.#cut = await this.#plane.drain({
      graceMs: Math.min(graceMs, timeoutMs) - passedMs,
      timeoutMs: timeoutMs - passedMs,
    });
    return this.#cut;
  }

  #load(): Promise<LoadedConfig> {
    const { disk, file, text, environment } = this.#options;
    return loadProxyConfig({ disk, file, text, environment, clock: this.#timers });
  }

  #noteReload(result: ReloadResult['result'], faults: readonly string[]): ReloadResult {
    this.#reloads[result] += 1;
    this.#emit({ type: 'config_reload', at: this.#timers.nowMs(), result, faults });
    return { result, faults };
  }

  /** Enters a state; states only advance. */
  #enter(state: ServerState): void {
    if (this.#state === 'DRAINING') return;
    this.#state = state;
    this.#emit({ type: 'server_state', at: this.#timers.nowMs(), state });
  }

  #emit(event: ProxyEvent): void {
    for (const listener of this.#onEvent) listener(event);
  }
}

function sumOf(rejections: readonly BreakerRejections[]): number {
  const counts = rejections.flatMap(({ rejected }) => Object.values(rejected));
  return counts.reduce((sum, count) => sum + count, 0);
}
