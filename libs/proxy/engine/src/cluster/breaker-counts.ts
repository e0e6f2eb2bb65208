import type { BreakerRejection } from '../source/snapshot.ts';
import type { BreakerTrippedEvent } from '../source/proxy-event.ts';
import { RareEvents } from './rare-events.ts';
import type { Timers } from './target/timers.ts';

export interface BreakerCountsParts {
  readonly cluster: string;
  readonly timers: Timers;
  readonly emit: (event: BreakerTrippedEvent) => void;
}

/**
 * How often each limit of a cluster has refused. It outlives the cluster, so that the sum over all never
 * falls. Under overload there is one event in ten seconds for each limit, not one for each refusal.
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

  constructor({ cluster, timers, emit }: BreakerCountsParts) {
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
