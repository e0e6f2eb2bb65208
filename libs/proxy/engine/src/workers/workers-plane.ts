import { randomBytes } from 'node:crypto';
import { Clusters } from '../cluster/clusters.ts';
import type { ClusterContext, EndpointAvailability } from '../cluster/target/cluster-context.ts';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ProxyConfig } from '../config/proxy-config.ts';
import {
  DataPlane,
  type DataPlaneChange,
  type DrainTimes,
  type TrafficSnapshot,
} from '../plane/data-plane.port.ts';
import { explainRequest } from '../plane/explain-request.ts';
import { idleListener, listenerKey, type SharedPorts } from '../plane/listener-set.ts';
import type { Explanation, Question } from '../source/explanation.ts';
import type { DrainResult, EndpointChange } from '../source/proxy-source.port.ts';
import { RareWorkerEvents } from '../cluster/rare-events.ts';
import { sharedPorts } from './shared-ports.ts';
import { sumTraffic, withoutGauges } from './traffic-sums.ts';
import type { MainMethods, WorkersOptions } from './worker-protocol.ts';
import { WorkerSlot } from './worker-slot.ts';

const SECRET_BYTES = 32;
const LOOK_EVERY_MS = 1_000;
const RESTART_MS = 100;
const RESTART_MS_MAX = 10_000;
/** A worker that has run for this long is restarted without delay. */
const SOUND_MS = 30_000;
/** Added to the time-out of a drain, for a worker that does not answer. */
const DRAIN_SLACK_MS = 5_000;

/** The configuration of the workers: active, or about to be. */
interface WorkersConfig {
  readonly loaded: LoadedConfig;
  readonly ports: SharedPorts;
}

/**
 * The data plane in several processes. This process carries no traffic: it checks endpoints, resolves names,
 * decides on ejections, notifies the workers, and adds up their counts. A worker that ends is restarted with
 * the active configuration. One operation at a time runs on all workers: a change, or a start.
 */
export class WorkersPlane extends DataPlane {
  readonly #context: ClusterContext;
  readonly #clusters: Clusters;
  readonly #slots: readonly WorkerSlot[];
  readonly #events: RareWorkerEvents;
  readonly #startedMs = new Map<WorkerSlot, number>();
  readonly #delaysMs = new Map<WorkerSlot, number>();
  /** The last state sent to workers, by endpoint. */
  readonly #reported = new Map<string, string>();
  #changed = new Set<string>();
  #isFlushDue = false;
  #held: WorkersConfig | undefined;
  /** The first configuration, before it is active. */
  #coming: WorkersConfig | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #isEnding = false;

  constructor(context: ClusterContext, workers: WorkersOptions) {
    super();
    this.#context = context;
    this.#clusters = new Clusters({
      ...context,
      onAvailability: (cluster) => this.#noteAvailability(cluster),
    });
    this.#events = new RareWorkerEvents(context.timers);
    const ticketSecret = randomBytes(SECRET_BYTES);
    const { count, logging, relay } = workers;
    this.#slots = Array.from({ length: count }, (_, index) => {
      const setup = { place: { index, count }, logging, ticketSecret };
      const { timers } = context;
      return new WorkerSlot({
        setup,
        own: this.#methods(),
        relay,
        timers,
        onExit: (slot, reason) => this.#noteExit(slot, reason),
      });
    });
  }

  override async prepare(loaded: LoadedConfig, signal?: AbortSignal): Promise<DataPlaneChange> {
    const endTurn = await this.#beginTurn();
    try {
      const held = {
        loaded,
        ports: await sharedPorts(loaded, this.#held?.ports ?? new Map<string, number>()),
      };
      if (this.#held === undefined) {
        this.#coming = held;
        await this.#startAll();
      }
      await this.#prepareAll(held);
      const clusters = this.#clusters.prepare(loaded.config.clusters);
      await clusters.warm(signal);
      return {
        commit: async () => {
          clusters.commit();
          await this.#commitAll(held).finally(endTurn);
        },
        abandon: () => {
          this.#coming = undefined;
          clusters.abandon();
          void this.#askAll('abandon');
          endTurn();
        },
      };
    } catch (error) {
      endTurn();
      throw error;
    }
  }

  override async drain({ graceMs, timeoutMs }: DrainTimes): Promise<DrainResult> {
    const { timers } = this.#context;
    const startedMs = timers.monotonicMs();
    this.#isEnding = true;
    // A worker that is being restarted is drained like the others: otherwise it would serve until its end.
    await this.#within(timeoutMs, this.#beginTurn());
    const passedMs = timers.monotonicMs() - startedMs;
    const times = { graceMs: graceMs - passedMs, timeoutMs: timeoutMs - passedMs };
    const cuts = await Promise.all(this.#slots.map((slot) => this.#drainOne(slot, times)));
    await Promise.all(this.#slots.map((slot) => slot.look()));
    await Promise.all(this.#slots.map((slot) => slot.end()));
    process.removeListener('exit', this.#killAll);
    this.#clusters.stop();
    return {
      cutConnections: cuts.reduce((sum, { cutConnections }) => sum + cutConnections, 0),
      cutRequests: cuts.reduce((sum, { cutRequests }) => sum + cutRequests, 0),
    };
  }

  override async snapshot(): Promise<TrafficSnapshot> {
    await Promise.all(this.#slots.map((slot) => slot.look()));
    const counted = this.#slots.flatMap(({ traffic }) => traffic);
    return sumTraffic([this.#foundHere(counted), ...counted], 'first');
  }

  override async setEndpoint(change: EndpointChange): Promise<boolean> {
    const isThere = this.#clusters.setEndpoint(change);
    await this.#flush();
    return isThere;
  }

  override explain(config: ProxyConfig, question: Question): Explanation {
    return explainRequest(config, this.#clusters.live, question);
  }

  #methods(): MainMethods {
    return {
      suspect: async (suspicion) => {
        this.#clusters.live.get(suspicion.cluster)?.eject(suspicion);
        await this.#flush();
      },
      note: async (event) => {
        const merged = this.#events.merge(event);
        if (merged !== undefined) this.#context.emit(merged);
      },
    };
  }

  /** Resolves when no other operation runs. Returns a function that ends the turn. */
  async #beginTurn(): Promise<() => void> {
    const before = this.#turn;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = promise;
    await before;
    return () => resolve(undefined);
  }

  /** Kills all workers when this process exits normally; otherwise they detect its end themselves. */
  readonly #killAll = (): void => {
    for (const slot of this.#slots) slot.kill();
  };

  async #startAll(): Promise<void> {
    process.on('exit', this.#killAll);
    const started = await Promise.all(this.#slots.map((slot) => slot.spawn()));
    if (!started.every(Boolean)) throw new Error('worker ended during its start');
    this.#lookLater();
  }

  async #prepareAll({ loaded: { sources }, ports }: WorkersConfig): Promise<void> {
    const outcomes = await Promise.all(this.#slots.map((slot) => slot.ask('prepare', sources, ports)));
    const faults = new Set(outcomes.flatMap((found) => found ?? []));
    if (faults.size === 0) return;
    await this.#askAll('abandon');
    throw new InvalidProxyConfig(Array.from(faults));
  }

  /** A worker that has ended meanwhile starts with this configuration. */
  async #commitAll(held: WorkersConfig): Promise<void> {
    const isFirst = this.#held === undefined;
    this.#held = held;
    const { clusters } = held.loaded.config;
    const there = new Set(
      clusters.flatMap(({ name, endpoints }) => endpoints.map(({ address }) => `${name} ${address.text}`)),
    );
    for (const slot of this.#slots) slot.prune((cluster, address) => there.has(`${cluster} ${address}`));
    this.#reported.clear();
    const committed = this.#slots.map((slot) => this.#commit(slot));
    if (isFirst) {
      for (const slot of this.#slots.filter(({ isRunning }) => !isRunning)) void this.#restart(slot);
    }
    await Promise.all(committed);
  }

  async #commit(slot: WorkerSlot): Promise<void> {
    const found = this.#clusters.availability();
    for (const endpoint of found) this.#noteReported(endpoint);
    const wasServing = slot.isServing;
    const isServing = await slot.commit(found);
    if (wasServing || !isServing) return;
    this.#startedMs.set(slot, this.#context.timers.monotonicMs());
    this.#emitState(slot, true, 'configuration activated');
  }

  async #drainOne(slot: WorkerSlot, times: DrainTimes): Promise<DrainResult> {
    const { cxActive } = slot.snapshot;
    const cut = await this.#within(Math.max(0, times.timeoutMs) + DRAIN_SLACK_MS, slot.drain(times));
    if (cut !== undefined) return cut;
    // Its connections are lost.
    slot.kill('no answer to drain');
    return { cutConnections: cxActive, cutRequests: 0 };
  }

  /** Undefined when the promise is not settled within this time. */
  async #within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
    const late = Promise.withResolvers<undefined>();
    const callOff = this.#context.timers.after(Math.max(0, ms), () => late.resolve(undefined));
    return Promise.race([promise, late.promise]).finally(callOff);
  }

  async #askAll(method: 'abandon'): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.ask(method)));
  }

  #noteExit(slot: WorkerSlot, reason: string): void {
    this.#emitState(slot, false, reason);
    if (this.#isEnding || this.#held === undefined) return;
    const { timers } = this.#context;
    const ranMs = timers.monotonicMs() - (this.#startedMs.get(slot) ?? Infinity);
    this.#startedMs.delete(slot);
    const delayMs = ranMs >= SOUND_MS ? 0 : (this.#delaysMs.get(slot) ?? 0);
    this.#delaysMs.set(slot, Math.min(RESTART_MS_MAX, Math.max(RESTART_MS, delayMs * 2)));
    timers.after(delayMs, () => void this.#restart(slot));
  }

  async #restart(slot: WorkerSlot): Promise<void> {
    const endTurn = await this.#beginTurn();
    try {
      if (this.#isEnding || this.#held === undefined) return;
      const { loaded, ports } = this.#held;
      const hasBegun = await slot.spawn();
      const faults = hasBegun ? await slot.ask('prepare', loaded.sources, ports) : undefined;
      if (faults?.length === 0) {
        await this.#commit(slot);
        return;
      }
      if (faults !== undefined) this.#emitState(slot, false, faults.join('; '));
      slot.kill();
    } finally {
      endTurn();
    }
  }

  #emitState({ number, pid }: WorkerSlot, isServing: boolean, reason: string): void {
    const { emit, timers } = this.#context;
    emit({ type: 'worker_state', at: timers.nowMs(), worker: number, pid, isServing, reason });
  }

  /** Polls, so that little is lost of the counts of a process that crashes. */
  #lookLater(): void {
    this.#context.timers.after(LOOK_EVERY_MS, () => {
      if (this.#isEnding) return;
      void Promise.all(this.#slots.map((slot) => slot.look())).then(() => this.#lookLater());
    });
  }

  #noteAvailability(cluster: string): void {
    this.#changed.add(cluster);
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    setImmediate(() => void this.#flush());
  }

  /** Resolves when all workers have applied it. */
  async #flush(): Promise<void> {
    this.#isFlushDue = false;
    const changed = this.#changed;
    this.#changed = new Set();
    const news = this.#clusters.availability(changed).filter((endpoint) => this.#noteReported(endpoint));
    if (news.length === 0) return;
    const following = this.#slots.filter(({ isFollowing }) => isFollowing);
    await Promise.all(following.map((slot) => slot.ask('follow', news)));
  }

  /** Returns whether it differs from the last state sent. */
  #noteReported({ cluster, address, targets }: EndpointAvailability): boolean {
    const key = `${cluster} ${address}`;
    const text = JSON.stringify(targets);
    const isNews = this.#reported.get(key) !== text;
    this.#reported.set(key, text);
    return isNews;
  }

  /** The part known to this process: listeners, clusters and endpoints, with their states. */
  #foundHere(counted: readonly TrafficSnapshot[]): TrafficSnapshot {
    const { loaded, ports } = this.#held ?? this.#coming ?? {};
    const bound = new Map(
      counted.flatMap(({ listeners }) => listeners.map(({ name, address }) => [name, address] as const)),
    );
    const idle = withoutGauges({
      downstreamCxTotal: 0,
      downstreamCxActive: 0,
      listeners: (loaded?.config.listeners ?? []).map((config) => {
        const port = ports?.get(listenerKey(config)) ?? config.address.port;
        const address = config.address.text.replace(/\d+$/, String(port));
        return idleListener(config, bound.get(config.name) ?? address);
      }),
      removedListeners: [],
      drain: { cutConnections: 0, cutRequests: 0 },
      clusters: this.#clusters.snapshot(),
      breakerRejections: this.#clusters.breakerRejections(),
      workers: undefined,
    });
    return { ...idle, workers: this.#slots.map(({ snapshot }) => snapshot) };
  }
}
