import type { Disk } from '#platform/disk';
import { assert, DomainError } from '#platform/foundation';
import type { LineLog } from '#platform/observability';
import type { ClustersChange } from '../cluster/clusters-change.ts';
import { Clusters } from '../cluster/clusters.ts';
import { systemProbe } from '../cluster/health/system-probe.ts';
import {
  type Resolve,
  systemResolve,
  systemTimers,
  type Timers,
} from '../cluster/target/cluster-surroundings.ts';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import { fingerprintNow, type LoadedConfig, loadProxyConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import { HeadFlusher } from '../http/head-flusher.ts';
import { UpstreamPools } from '../http/upstream-pools.ts';
import { DescriptorBudget } from '../listener/descriptor-budget.ts';
import { Timeouts } from '../listener/timeouts.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { ProxyEvent } from '../source/proxy-event.ts';
import {
  type DrainResult,
  type EndpointChange,
  ProxySource,
  type ReloadResult,
} from '../source/proxy-source.port.ts';
import type { BreakerRejections, ProxySnapshot, ServerState } from '../source/snapshot.ts';
import { ConfigWatch } from './config-watch.ts';
import { explainRequest } from './explain-request.ts';
import { FrontFactory, type FrontSurroundings } from './front-factory.ts';
import { type ListenersChange, ListenerSet } from './listener-set.ts';

const WATCH_EVERY_MS = 2_000;

export interface EmbeddedProxyOptions {
  readonly disk: Disk;
  /** The configuration. */
  readonly file: string;
  /** For `token_env`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the access logs of listeners go; undefined: nowhere. */
  readonly lines: LineLog | undefined;
  /** How often the files are looked at; 0: never. */
  readonly watchEveryMs?: number;
  readonly timers?: Timers;
  /** How names are resolved; as the system does it unless a test has names of its own. */
  readonly resolve?: Resolve;
}

/**
 * Our own data plane. It reads its configuration itself, at the start and at each reload: what is not valid
 * in whole changes nothing.
 */
export class EmbeddedProxy extends ProxySource {
  readonly #options: EmbeddedProxyOptions;
  readonly #timers: Timers;
  readonly #around: FrontSurroundings;
  readonly #clusters: Clusters;
  readonly #listeners: ListenerSet;
  readonly #watch: ConfigWatch;
  readonly #onEvent = new Set<(event: ProxyEvent) => void>();
  readonly #reloads = { applied: 0, rejected: 0, unchanged: 0 };
  readonly #bornMs: number;
  #state: ServerState = 'PRE_INITIALIZING';
  #loaded: LoadedConfig | undefined;
  #starting: Promise<void> | undefined;
  #reloading: Promise<unknown> = Promise.resolve();
  #draining: Promise<DrainResult> | undefined;
  #cut: DrainResult = { cutConnections: 0, cutRequests: 0 };

  constructor(options: EmbeddedProxyOptions) {
    super();
    const {
      disk,
      file,
      lines,
      timers = systemTimers,
      watchEveryMs = WATCH_EVERY_MS,
      resolve = systemResolve,
    } = options;
    this.#options = options;
    this.#timers = timers;
    this.#bornMs = timers.monotonicMs();
    this.#around = {
      timeouts: new Timeouts(timers),
      pools: new UpstreamPools(timers),
      flusher: new HeadFlusher(),
      lines,
    };
    this.#clusters = new Clusters({
      timers,
      random: Math.random,
      probe: systemProbe,
      resolve,
      emit: (event) => this.#emit(event),
    });
    this.#listeners = new ListenerSet(timers, new DescriptorBudget());
    this.#watch = new ConfigWatch({
      timers,
      everyMs: watchEveryMs,
      look: () => fingerprintNow({ disk, file }, this.#loaded?.files ?? []),
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
    const clusters = this.#clusters;
    const { cxTotal, cxActive } = this.#listeners.process;
    const breakerRejections = clusters.breakerRejections();
    return {
      state: this.#state,
      uptimeMs: this.#timers.monotonicMs() - this.#bornMs,
      downstreamCxTotal: cxTotal,
      downstreamCxActive: cxActive,
      circuitBreakerRejected: sumOf(breakerRejections),
      listeners: this.#listeners.snapshot(),
      clusters: clusters.snapshot(),
      routeCount: this.config?.routes.length ?? 0,
      configReloads: { ...this.#reloads },
      drain: this.#cut,
      breakerRejections,
    };
  }

  /** One after the other. */
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
    return this.#clusters.setEndpoint(change);
  }

  override async explain(question: Question): Promise<Explanation> {
    const { config } = this;
    if (config === undefined) throw new DomainError('CONFLICT', 'the proxy has no configuration yet');
    return explainRequest(config, this.#clusters.live, question);
  }

  override onEvent(listener: (event: ProxyEvent) => void): () => void {
    this.#onEvent.add(listener);
    return () => this.#onEvent.delete(listener);
  }

  async #start(): Promise<void> {
    this.#enter('INITIALIZING');
    const loaded = await this.#load();
    const listeners = await this.#listeners.prepare(loaded);
    const clusters = this.#clusters.prepare(loaded.config.clusters);
    await clusters.warm();
    await this.#hold(loaded, listeners, clusters);
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
    const listeners = await this.#listeners.prepare(loaded);
    const clusters = this.#clusters.prepare(loaded.config.clusters);
    await clusters.warm();
    if (this.#state === 'LIVE') {
      await this.#hold(loaded, listeners, clusters);
      return;
    }
    listeners.abandon();
    clusters.abandon();
    throw new InvalidProxyConfig([`the proxy is ${this.#state}`]);
  }

  /** From now on this is the configuration, in one step. Resolves when what is gone is closed. */
  #hold(loaded: LoadedConfig, listeners: ListenersChange, clusters: ClustersChange): Promise<void> {
    const { config } = loaded;
    const factory = new FrontFactory(config, clusters.commit(), this.#around);
    const closed = listeners.commit(factory, config.drain.graceMs);
    this.#loaded = loaded;
    return closed;
  }

  /**
   * 1. Not ready from now on, so that load balancers in front look elsewhere; connections are still taken,
   *    and each answer is the last of its connection.
   * 2. After the grace none is taken any more, and idle ones are closed.
   * 3. What is left at the time-out is cut.
   */
  async #drain(): Promise<DrainResult> {
    const startedMs = this.#timers.monotonicMs();
    this.#enter('DRAINING');
    this.#watch.stop();
    await Promise.allSettled([this.#starting, this.#reloading]);
    const { graceMs, timeoutMs } = this.config?.drain ?? { graceMs: 0, timeoutMs: 0 };
    this.#listeners.retire();
    await this.#until(startedMs + Math.min(graceMs, timeoutMs));
    await this.#listeners.close();
    await Promise.race([this.#listeners.whenEmpty(), this.#until(startedMs + timeoutMs)]);
    const { connections, requests } = this.#listeners.cut();
    this.#cut = { cutConnections: connections, cutRequests: requests };
    await this.#listeners.whenEmpty();
    this.#around.pools.close();
    this.#clusters.stop();
    return this.#cut;
  }

  async #until(ms: number): Promise<void> {
    const leftMs = ms - this.#timers.monotonicMs();
    if (leftMs > 0) await new Promise<void>((resolve) => this.#timers.after(leftMs, resolve));
  }

  #load(): Promise<LoadedConfig> {
    const { disk, file, environment } = this.#options;
    return loadProxyConfig({ disk, file, environment, clock: this.#timers });
  }

  #noteReload(result: ReloadResult['result'], faults: readonly string[]): ReloadResult {
    this.#reloads[result] += 1;
    this.#emit({ type: 'config_reload', at: this.#timers.nowMs(), result, faults });
    return { result, faults };
  }

  /** Forward only. */
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
