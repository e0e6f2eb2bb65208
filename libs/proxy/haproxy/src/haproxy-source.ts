import { type Disk, DiskError } from '#platform/disk';
import { type Clock, DomainError, pause, systemClock } from '#platform/foundation';
import type { Log } from '#platform/observability';
import {
  type DrainConfig,
  type DrainResult,
  type EndpointChange,
  type Explanation,
  type ProxyEvent,
  type ProxySnapshot,
  ProxySource,
  type ReloadResult,
  type ServerState,
} from '#proxy/engine';
import { drainServers, HaproxyControl } from './haproxy-control.ts';
import { changesBetween, type HaproxyReading, HaproxyWatch } from './haproxy-watch.ts';
import { RouteCount } from './route-count.ts';
import { RuntimeSocket, type RuntimeSocketOptions } from './runtime-socket.ts';
import { serverAddress } from './server-snapshot.ts';
import { stateKey } from './server-states.ts';

/** The listeners of a source. */
class EventFeed {
  readonly #listeners = new Set<(event: ProxyEvent) => void>();

  /** Returns a function that unsubscribes. */
  listen(listener: (event: ProxyEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  emit(event: ProxyEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

export interface HaproxySourceOptions {
  /** Path of the runtime socket; changes require level `admin`. */
  readonly socket: string;
  /** HAProxy's configuration, a file or a directory, from which routes are counted. */
  readonly config: string | undefined;
  readonly drain: DrainConfig;
  readonly disk: Disk;
  readonly log: Log;
  readonly clock?: Clock;
  readonly socketLimits?: RuntimeSocketOptions;
}

/**
 * An HAProxy that is run by others, observed and controlled through its runtime socket. It may start, stop
 * and reload at any time: while it is unreachable the state is INITIALIZING and nothing is healthy.
 */
export class HaproxySource extends ProxySource {
  readonly #options: HaproxySourceOptions;
  readonly #clock: Clock;
  readonly #events = new EventFeed();
  readonly #control: HaproxyControl;
  readonly #watch: HaproxyWatch;
  readonly #routes: RouteCount;
  readonly #firstLive = Promise.withResolvers<undefined>();
  readonly #reloads = { applied: 0, rejected: 0, unchanged: 0 };
  #cut: DrainResult = { cutConnections: 0, cutRequests: 0 };
  #draining: Promise<DrainResult> | undefined;
  #isStarted = false;
  #state: ServerState = 'PRE_INITIALIZING';

  constructor(options: HaproxySourceOptions) {
    super();
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#routes = new RouteCount(options.disk, options.config);
    const socket = new RuntimeSocket(options.socket, options.socketLimits);
    this.#control = new HaproxyControl(socket);
    this.#watch = new HaproxyWatch({
      socket,
      clock: this.#clock,
      log: options.log,
      onLook: (look) => this.#seen(look),
    });
  }

  /** Does not wait for HAProxy to start. */
  override async start(): Promise<void> {
    await this.#routes.read().catch((cause: unknown) => {
      throw new DomainError('INVALID_CONFIG', `engine.config: ${faultOf(cause)}`, { cause });
    });
    this.#isStarted = true;
    this.#step();
    this.#watch.start();
    await this.#firstLive.promise;
  }

  override async snapshot(): Promise<ProxySnapshot> {
    if (this.#isStarted) await this.#watch.refresh();
    const { facts } = this.#watch;
    return {
      ...facts,
      state: this.#state,
      workers: undefined,
      removedListeners: [],
      routeCount: this.#routes.count(facts.listeners.length),
      configReloads: { ...this.#reloads },
      drain: this.#cut,
      circuitBreakerRejected: 0,
      breakerRejections: [],
    };
  }

  /** Rereads HAProxy's configuration to count routes; HAProxy itself is reloaded by its operator. */
  override async reload(): Promise<ReloadResult> {
    try {
      const result = (await this.#routes.read()) ? 'applied' : 'unchanged';
      return this.#reloaded({ result, faults: [] });
    } catch (error) {
      return this.#reloaded({ result: 'rejected', faults: [faultOf(error)] });
    }
  }

  override drain(): Promise<DrainResult> {
    if (this.#draining === undefined) {
      this.#draining = this.#drain();
      this.#step();
    }
    return this.#draining;
  }

  /** Stops observing HAProxy, which keeps running. */
  close(): void {
    this.#watch.stop();
    this.#firstLive.resolve(undefined);
  }

  override async stop(): Promise<DrainResult> {
    this.close();
    return this.#cut;
  }

  override get config(): undefined {
    return undefined;
  }

  override async setEndpoint({ cluster, address, isEnabled }: EndpointChange): Promise<boolean> {
    await this.#watch.refresh();
    const { report } = this.#watch;
    if (report === undefined) throw new DomainError('ENGINE_UNAVAILABLE', 'haproxy cannot be reached');
    const named = report.servers.filter(
      (server) =>
        server.backend === cluster &&
        serverAddress(server, report.serverStates.get(stateKey(cluster, server.name))) === address,
    );
    for (const { name } of named) await this.#control.setServer(cluster, name, isEnabled ? 'ready' : 'maint');
    if (named.length > 0) await this.#watch.reread();
    return named.length > 0;
  }

  override async explain(): Promise<Explanation> {
    throw new DomainError('NOT_SUPPORTED', 'haproxy does not report where a request would go');
  }

  override onEvent(listener: (event: ProxyEvent) => void): () => void {
    return this.#events.listen(listener);
  }

  #seen({ before, isNewProcess }: HaproxyReading): void {
    const at = this.#clock.nowMs();
    const { facts, fault } = this.#watch;
    const reading = { at, isLost: fault !== undefined };
    for (const event of changesBetween(before.clusters, facts.clusters, reading)) {
      this.#events.emit(event);
    }
    if (isNewProcess) {
      this.#reloaded({ result: 'applied', faults: [] });
      this.#routes.read().catch((error: unknown) => {
        const { log } = this.#options;
        log.warn({ event: 'haproxy.config_unreadable', reason: faultOf(error) }, 'previous route count kept');
      });
    }
    this.#step();
  }

  #reloaded(result: ReloadResult): ReloadResult {
    this.#reloads[result.result] += 1;
    this.#events.emit({ type: 'config_reload', at: this.#clock.nowMs(), ...result });
    return result;
  }

  /** Updates the state from the latest report. */
  #step(): void {
    const state = this.#stateNow();
    if (state === 'LIVE') this.#firstLive.resolve(undefined);
    if (state === this.#state) return;
    this.#state = state;
    this.#events.emit({ type: 'server_state', at: this.#clock.nowMs(), state });
  }

  #stateNow(): ServerState {
    if (this.#draining !== undefined) return 'DRAINING';
    if (!this.#isStarted) return 'PRE_INITIALIZING';
    const { report } = this.#watch;
    if (report === undefined) return 'INITIALIZING';
    return report.process.isStopping ? 'DRAINING' : 'LIVE';
  }

  async #drain(): Promise<DrainResult> {
    const { graceMs, timeoutMs } = this.#options.drain;
    await pause(graceMs);
    const steps = {
      control: this.#control,
      wait: pause,
      nowMs: () => this.#clock.monotonicMs(),
      readServers: async () => {
        await this.#watch.reread();
        const { fault, report } = this.#watch;
        return fault?.isGone === true ? [] : report?.servers;
      },
    };
    try {
      this.#cut = await drainServers(Math.max(0, timeoutMs - graceMs), steps);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const { log } = this.#options;
      log.error({ event: 'haproxy.drain_failed', reason: error.message }, 'HAProxy drain failed');
    }
    this.close();
    return this.#cut;
  }
}

function faultOf(error: unknown): string {
  if (!(error instanceof DiskError)) throw error;
  return error.message;
}
