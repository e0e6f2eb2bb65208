/**
 * The limits of a cluster. Hot path: plain numbers.
 *
 * A connection is one that carries a request or a TCP stream now; idle ones are not counted. So a request
 * in flight is one connection and one request, and a TCP stream one connection. A request that finds all
 * connections taken waits, as far as there is room to wait; it is refused for want of that room, or, where
 * none is to wait, for want of connections.
 */
import type { CircuitBreakerConfig } from '../config/proxy-config.ts';
import type { BreakerLimit, BreakerRejection, LimitSnapshot } from '../source/snapshot.ts';
import type { BreakerCounts } from './breaker-counts.ts';
import type { Refusal } from './refusal.ts';

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

  /** Whether a client that has `used` requests may have another. */
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
