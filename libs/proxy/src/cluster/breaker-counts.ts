import type { BreakerLimit } from '../source/snapshot.ts';
import type { BreakerTrippedEvent } from '../source/proxy-event.ts';
import type { Timers } from './timers.ts';

const EVENT_EVERY_MS = 10_000;

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
  readonly rejected: Record<BreakerLimit, number> = {
    max_connections: 0,
    max_pending_requests: 0,
    max_requests: 0,
  };
  readonly #timers: Timers;
  readonly #emit: (event: BreakerTrippedEvent) => void;
  readonly #told = new Map<BreakerLimit, { readonly atMs: number; readonly rejected: number }>();

  constructor({ cluster, timers, emit }: BreakerCountsParts) {
    this.cluster = cluster;
    this.#timers = timers;
    this.#emit = emit;
  }

  count(limit: BreakerLimit, max: number): void {
    this.rejected[limit] += 1;
    const told = this.#told.get(limit);
    const atMs = this.#timers.monotonicMs();
    if (told !== undefined && atMs < told.atMs + EVENT_EVERY_MS) return;
    const rejected = this.rejected[limit];
    this.#told.set(limit, { atMs, rejected });
    this.#emit({
      type: 'breaker_tripped',
      at: this.#timers.nowMs(),
      cluster: this.cluster,
      limit,
      max,
      rejected: rejected - (told?.rejected ?? 0),
    });
  }
}
