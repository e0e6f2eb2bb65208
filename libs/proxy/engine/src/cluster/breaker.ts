/**
 * The circuit breaker of a cluster. Hot path: plain numbers.
 *
 * The connection limit counts connections that carry a request or a TCP stream; idle ones are not counted. So
 * an active request counts as one connection and one request, a TCP stream as one connection. A request that
 * finds no free connection waits in the line, up to the limit of pending requests. It is rejected by that
 * limit, or, where it cannot wait, by the connection limit.
 */
import type { CircuitBreakerConfig } from '../config/proxy-config.ts';
import type { BreakerTrippedEvent } from '../source/proxy-event.ts';
import type { BreakerLimit, BreakerRejection, LimitSnapshot } from '../source/snapshot.ts';
import type { Refusal } from './lease.ts';
import { RareEvents } from './rare-events.ts';
import type { Timers } from './target/cluster-context.ts';

export class Breaker {
  limits: CircuitBreakerConfig;
  connections = 0;
  requests = 0;
  readonly #counts: BreakerCounts;

  constructor(limits: CircuitBreakerConfig, counts: BreakerCounts) {
    this.limits = limits;
    this.#counts = counts;
  }

  get hasConnection(): boolean {
    return this.connections < this.limits.maxConnections;
  }

  get hasRequest(): boolean {
    return this.requests < this.limits.maxRequests;
  }

  take(isRequest: boolean): void {
    this.connections += 1;
    if (isRequest) this.requests += 1;
  }

  giveBack(isRequest: boolean): void {
    this.connections -= 1;
    if (isRequest) this.requests -= 1;
  }

  /** Whether a client with `used` requests may start another. */
  hasShare(used: number): boolean {
    const { maxRequestsPerClient } = this.limits;
    return maxRequestsPerClient === undefined || used < maxRequestsPerClient;
  }

  refuse(limit: BreakerRejection): Refusal {
    const max = this.#maxOf(limit);
    this.#counts.count(limit, max);
    return { kind: 'overloaded', limit, max };
  }

  snapshot(waiting: number): Readonly<Record<BreakerLimit, LimitSnapshot>> {
    const of = (limit: BreakerLimit, used: number): LimitSnapshot => {
      return { used, limit: this.#maxOf(limit), rejected: this.#counts.rejected[limit] };
    };
    return {
      max_connections: of('max_connections', this.connections),
      max_pending_requests: of('max_pending_requests', waiting),
      max_requests: of('max_requests', this.requests),
    };
  }

  #maxOf(limit: BreakerRejection): number {
    if (limit === 'max_requests_per_client') return this.limits.maxRequestsPerClient ?? 0;
    if (limit === 'max_connections') return this.limits.maxConnections;
    return limit === 'max_requests' ? this.limits.maxRequests : this.limits.maxPendingRequests;
  }
}

/**
 * The number of rejections by each limit of a cluster. It outlives the cluster, so that the sum over all
 * never decreases. Under overload it emits one event in ten seconds for each limit, not one for each
 * rejection.
 */
export class BreakerCounts {
  readonly cluster: string;
  readonly rejected: Record<BreakerRejection, number> = {
    max_connections: 0,
    max_pending_requests: 0,
    max_requests: 0,
    max_requests_per_client: 0,
  };
  readonly #timers: Timers;
  readonly #emit: (event: BreakerTrippedEvent) => void;
  readonly #rare: RareEvents<BreakerRejection>;

  constructor(cluster: string, timers: Timers, emit: (event: BreakerTrippedEvent) => void) {
    this.cluster = cluster;
    this.#timers = timers;
    this.#emit = emit;
    this.#rare = new RareEvents(timers);
  }

  count(limit: BreakerRejection, max: number): void {
    this.rejected[limit] += 1;
    const rejected = this.#rare.note(limit, this.rejected[limit]);
    if (rejected === undefined) return;
    const at = this.#timers.nowMs();
    this.#emit({ type: 'breaker_tripped', at, cluster: this.cluster, limit, max, rejected });
  }
}
