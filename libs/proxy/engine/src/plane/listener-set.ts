/**
 * The listeners of a process, across configurations.
 *
 * 1. A change is prepared first: all new addresses are bound, or none. Existing connections are not affected,
 *    and those on new addresses wait.
 * 2. Then it is applied in one step. An unchanged listener continues with the new routes; a changed one gets
 *    another front behind the same bound address; a removed one is unbound.
 * 3. A replaced or removed front serves its connections to their end: each response is their last, and those
 *    still idle after the grace period are closed. Where the address is removed, the rest is cut at the
 *    time-out of a drain.
 *
 * An address is matched by its text, so that it stays bound when it moves from one listener to another; with
 * port 0, by the listener's name too.
 */
import { isDeepStrictEqual } from 'node:util';
import { afterNextRead } from '#platform/foundation';
import type { Timers } from '../cluster/target/cluster-context.ts';
import { InvalidProxyConfig } from '../config/invalid-proxy-config.ts';
import type { LoadedConfig } from '../config/load/load-proxy-config.ts';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { Acceptor } from '../listener/acceptor.ts';
import type { DescriptorBudget } from '../listener/descriptor-budget.ts';
import type { Cut, Front } from '../listener/front.ts';
import { DownstreamCounters, ListenerCounters } from '../listener/listener-counters.ts';
import type { ListenerSnapshot } from '../source/snapshot.ts';
import type { DrainTimes } from './data-plane.port.ts';

/** Creates the fronts of a configuration, or updates existing ones. */
export interface FrontMaker {
  make(config: ListenerConfig, counters: ListenerCounters): Front;
  renew(front: Front): void;
}

interface Bound {
  readonly config: ListenerConfig;
  readonly acceptor: Acceptor;
}

interface RemovedListener {
  readonly config: ListenerConfig;
  /** The address as it was bound. */
  readonly address: string;
}

interface Committing {
  readonly maker: FrontMaker;
  readonly times: DrainTimes;
}

/** Addresses bound for a configuration that is not active yet. */
export interface ListenersChange {
  /** Applied at once; resolves when removed addresses are free. */
  commit(maker: FrontMaker, times: DrainTimes): Promise<void>;
  abandon(): void;
}

/** The ports that several processes bind, by {@link listenerKey}. */
export type SharedPorts = ReadonlyMap<string, number>;

export class ListenerSet {
  readonly process = new DownstreamCounters();
  /** Cut because their address was removed. */
  readonly cuts = { cutConnections: 0, cutRequests: 0 };
  readonly #timers: Timers;
  readonly #budget: DescriptorBudget;
  readonly #counters = new Map<string, ListenerCounters>();
  readonly #retiring = new Set<Front>();
  /** Undefined before the first configuration is active. */
  #bound: ReadonlyMap<string, Bound> | undefined;
  /** The addresses bound for the first one. */
  #pending: readonly Bound[] = [];
  /** Removed listeners by name. */
  readonly #removed = new Map<string, RemovedListener>();

  constructor(timers: Timers, budget: DescriptorBudget) {
    this.#timers = timers;
    this.#budget = budget;
  }

  /** Throws InvalidProxyConfig with every address that cannot be bound. */
  async prepare(
    { config: { listeners: configs }, listenerPlaces }: LoadedConfig,
    shared?: SharedPorts,
  ): Promise<ListenersChange> {
    const fresh = new Map<string, Acceptor>();
    const faults: string[] = [];
    for (const config of configs) {
      const key = listenerKey(config);
      if (this.#bound?.has(key) === true) continue;
      try {
        fresh.set(key, await Acceptor.bind(config, this.#budget, shared?.get(key)));
      } catch (error) {
        faults.push(bindFault(config, listenerPlaces, error));
      }
    }
    const abandon = (): void => {
      this.#pending = [];
      fresh.forEach((acceptor) => void acceptor.close());
    };
    if (faults.length > 0) {
      abandon();
      throw new InvalidProxyConfig(faults);
    }
    this.#pending = configs.flatMap((config) => {
      const acceptor = fresh.get(listenerKey(config));
      return acceptor === undefined ? [] : [{ config, acceptor }];
    });
    return { abandon, commit: (maker, times) => this.#commit(configs, fresh, { maker, times }) };
  }

  /** Makes each response from now on the last of its connection. */
  retire(): void {
    for (const front of this.#fronts()) front.retire();
  }

  /** Accepts no more connections, and closes idle ones. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#all, ({ acceptor }) => acceptor.close()));
    for (const front of this.#fronts()) front.closeIdle();
  }

  async whenEmpty(): Promise<void> {
    await Promise.all(Array.from(this.#fronts(), (front) => front.whenEmpty()));
  }

  /** Closes every connection now. */
  cut(): Cut {
    let connections = 0;
    let requests = 0;
    for (const front of this.#fronts()) {
      const cut = front.cut();
      connections += cut.connections;
      requests += cut.requests;
    }
    return { connections, requests };
  }

  /** Listeners whose name is in no configuration any more, also without connections. */
  removed(): readonly ListenerSnapshot[] {
    return Array.from(this.#removed.values(), ({ config, address }) =>
      snapshotListener(config, address, this.#countersOf(config.name), this.#frontsOf(config.name)),
    );
  }

  snapshot(): readonly ListenerSnapshot[] {
    return Array.from(this.#bound?.values() ?? this.#pending, ({ config, acceptor }) => {
      const { name } = config;
      return snapshotListener(config, acceptor.address, this.#countersOf(name), this.#frontsOf(name));
    });
  }

  #frontsOf(name: string): readonly Front[] {
    return Array.from(this.#fronts()).filter((front) => front.config.name === name);
  }

  async #commit(
    configs: readonly ListenerConfig[],
    fresh: ReadonlyMap<string, Acceptor>,
    { maker, times }: Committing,
  ): Promise<void> {
    const next = new Map<string, Bound>();
    for (const config of configs) {
      const key = listenerKey(config);
      const acceptor = this.#bound?.get(key)?.acceptor ?? fresh.get(key);
      if (acceptor === undefined) continue;
      this.#settle(config, acceptor, { maker, times });
      next.set(key, { config, acceptor });
    }
    const gone = Array.from(this.#bound ?? []).flatMap(([key, { acceptor }]) =>
      next.has(key) ? [] : [acceptor],
    );
    for (const { front } of gone) if (front !== undefined) this.#seeOut(front, times, true);
    for (const { config, acceptor } of this.#all) {
      this.#removed.set(config.name, { config, address: acceptor.address });
    }
    for (const { name } of configs) this.#removed.delete(name);
    this.#bound = next;
    await Promise.all(gone.map((acceptor) => acceptor.close()));
  }

  #settle(config: ListenerConfig, acceptor: Acceptor, { maker, times }: Committing): void {
    const { front } = acceptor;
    if (front !== undefined && isDeepStrictEqual(front.config, config)) {
      maker.renew(front);
      return;
    }
    acceptor.handTo(maker.make(config, this.#countersOf(config.name)));
    if (front !== undefined) this.#seeOut(front, times, false);
  }

  #seeOut(front: Front, { graceMs, timeoutMs }: DrainTimes, isCut: boolean): void {
    this.#retiring.add(front);
    front.retire();
    this.#timers.after(graceMs, () => afterNextRead(() => front.closeIdle()));
    const callOff = isCut ? this.#timers.after(timeoutMs, () => this.#cut(front)) : undefined;
    void front.whenEmpty().then(() => {
      callOff?.();
      this.#retiring.delete(front);
    });
  }

  #cut(front: Front): void {
    const { connections, requests } = front.cut();
    this.cuts.cutConnections += connections;
    this.cuts.cutRequests += requests;
  }

  get #all(): Iterable<Bound> {
    return this.#bound?.values() ?? [];
  }

  *#fronts(): Generator<Front> {
    for (const { acceptor } of this.#all) if (acceptor.front !== undefined) yield acceptor.front;
    yield* this.#retiring;
  }

  #countersOf(name: string): ListenerCounters {
    const known = this.#counters.get(name);
    if (known !== undefined) return known;
    const counters = new ListenerCounters(this.process);
    this.#counters.set(name, counters);
    return counters;
  }
}

/** The key by which an address is matched. */
export function listenerKey({ name, address }: ListenerConfig): string {
  return address.port === 0 ? `${name} ${address.text}` : address.text;
}

/** The fault of an address that cannot be bound. */
export function bindFault(
  { name, address }: ListenerConfig,
  places: LoadedConfig['listenerPlaces'],
  error: unknown,
): string {
  const isSystem = typeof error === 'object' && error !== null && 'code' in error;
  const reason = isSystem ? String(error.code) : String(error);
  return `${places.get(name) ?? ''}: listener ${name}: cannot listen on ${address.text}: ${reason}`;
}

/** A listener before its first connection. */
export function idleListener(config: ListenerConfig, address: string): ListenerSnapshot {
  return snapshotListener(config, address, new ListenerCounters(new DownstreamCounters()), []);
}

/** `fronts` are the current front and those that still have connections. */
function snapshotListener(
  { name, protocol }: ListenerConfig,
  address: string,
  counters: ListenerCounters,
  fronts: readonly Front[],
): ListenerSnapshot {
  const open = fronts.map((front) => front.bytesNow());
  return {
    name,
    address,
    protocol,
    cxTotal: counters.cxTotal,
    cxActive: counters.cxActive,
    cxRefused: counters.cxRefused,
    cxRefusedForDescriptors: counters.cxRefusedForDescriptors,
    requestsActive: counters.requestsActive,
    requestsByClass: counters.requestsByClass(),
    parseErrors: counters.parseErrors,
    headerTimeouts: counters.headerTimeouts,
    idleTimeouts: counters.idleTimeouts,
    requestTimeouts: counters.requestTimeouts,
    unrouted: counters.unrouted,
    clientAborts: counters.clientAborts,
    tlsErrors: counters.tlsErrors,
    bytesReceived: open.reduce((sum, { received }) => sum + received, counters.bytesReceived),
    bytesSent: open.reduce((sum, { sent }) => sum + sent, counters.bytesSent),
  };
}
