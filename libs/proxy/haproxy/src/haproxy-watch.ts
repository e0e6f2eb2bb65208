import type { Clock } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { ClusterSnapshot, EndpointSnapshot, ProxyEvent } from '#proxy/engine';
import { type HaproxyFacts, HaproxyLedger } from './haproxy-ledger.ts';
import { type HaproxyReport, readReport } from './haproxy-reader.ts';
import { ReportFeed } from './report-feed.ts';
import { HaproxyFault, type RuntimeSocket } from './runtime-socket.ts';

/** The changes found by a reading of HAProxy. */
export interface HaproxyReading {
  readonly before: HaproxyFacts;
  readonly isNewProcess: boolean;
}

export interface HaproxyWatchOptions {
  readonly socket: RuntimeSocket;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after each reading, successful or not. */
  readonly onLook: (look: HaproxyReading) => void;
}

/** Short, so that little of a replaced process's counts is lost. */
const POLL_MS = 1_000;

/** Polls HAProxy, and keeps the latest report. */
export class HaproxyWatch {
  readonly #options: HaproxyWatchOptions;
  readonly #ledger = new HaproxyLedger();
  readonly #feed: ReportFeed;
  #report: HaproxyReport | undefined;
  #fault: HaproxyFault | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(options: HaproxyWatchOptions) {
    this.#options = options;
    this.#feed = new ReportFeed({
      clock: options.clock,
      read: () => readReport(options.socket),
      onReport: (report) => this.#take(report),
      onFault: (error) => this.#lose(error),
    });
  }

  /** The latest report; undefined while HAProxy is unreachable. */
  get report(): HaproxyReport | undefined {
    return this.#report;
  }

  /** Why the last reading failed; undefined when it succeeded. */
  get fault(): HaproxyFault | undefined {
    return this.#fault;
  }

  get facts(): HaproxyFacts {
    return this.#ledger.facts;
  }

  start(): void {
    this.#poll = setInterval(() => void this.refresh(), POLL_MS);
    void this.refresh();
  }

  stop(): void {
    clearInterval(this.#poll);
  }

  /** Resolves when the report is fresh, or cannot be refreshed now. */
  refresh(): Promise<void> {
    return this.#feed.refresh();
  }

  /** Like `refresh`, with a reading that starts after the call. */
  reread(): Promise<void> {
    return this.#feed.reread();
  }

  #take(report: HaproxyReport): void {
    const { log, clock, onLook, socket } = this.#options;
    const before = this.facts;
    const { isNewProcess } = this.#ledger.take(report, clock.nowMs());
    if (this.#report === undefined) {
      const { pid, version } = report.process;
      log.info({ event: 'haproxy.reached', socket: socket.path, pid, version }, 'HAProxy reached');
    }
    this.#report = report;
    this.#fault = undefined;
    onLook({ before, isNewProcess });
  }

  #lose(error: unknown): void {
    if (!(error instanceof HaproxyFault)) throw error;
    const { log, onLook } = this.#options;
    const before = this.facts;
    this.#ledger.lose();
    if (this.#fault === undefined)
      log.warn({ event: 'haproxy.lost', reason: error.message }, 'HAProxy unreachable');
    this.#report = undefined;
    this.#fault = error;
    onLook({ before, isNewProcess: false });
  }
}

/** A reading: its time, and whether it failed. */
interface Reading {
  readonly at: number;
  readonly isLost: boolean;
}

/**
 * The differences between two readings of the same clusters: endpoints are matched by position and address.
 */
export function changesBetween(
  before: readonly ClusterSnapshot[],
  after: readonly ClusterSnapshot[],
  reading: Reading,
): readonly ProxyEvent[] {
  const oldByName = new Map(before.map((cluster) => [cluster.name, cluster]));
  return after.flatMap(({ name, endpoints }) =>
    endpoints.flatMap((endpoint, i) => {
      const old = oldByName.get(name)?.endpoints[i];
      return old?.address === endpoint.address
        ? endpointChanges({ cluster: name, ...reading }, old, endpoint)
        : [];
    }),
  );
}

function endpointChanges(
  { cluster, at, isLost }: Reading & { readonly cluster: string },
  before: EndpointSnapshot,
  { address, healthy, isDisabled, lastCheck }: EndpointSnapshot,
): ProxyEvent[] {
  const events: ProxyEvent[] = [];
  if (before.isDisabled !== isDisabled) {
    events.push({ type: 'endpoint_switched', at, cluster, address, isEnabled: !isDisabled });
  }
  if (before.healthy !== healthy) {
    const found =
      lastCheck?.reason ?? (healthy ? 'HAProxy gives it requests' : 'HAProxy gives it no requests');
    const reason = isLost ? 'HAProxy is unreachable' : found;
    events.push({ type: 'endpoint_health', at, cluster, address, target: address, healthy, reason });
  }
  return events;
}
