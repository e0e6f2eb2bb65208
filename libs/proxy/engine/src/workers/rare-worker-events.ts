import { RareEvents } from '../cluster/rare-events.ts';
import type { Timers } from '../cluster/target/cluster-surroundings.ts';
import type { ProxyEvent } from '../source/proxy-event.ts';

/**
 * Merges rate-limited events of several workers: each worker emits one in ten seconds for a limit or a kind
 * of failure, and so does the proxy as a whole.
 */
export class RareWorkerEvents {
  readonly #rare: RareEvents<string>;
  readonly #totals = new Map<string, number>();

  constructor(timers: Timers) {
    this.#rare = new RareEvents(timers);
  }

  /** The event, with the counts of all workers; undefined: suppressed. */
  merge(event: ProxyEvent): ProxyEvent | undefined {
    if (event.type === 'breaker_tripped') {
      const rejected = this.#note(`limit ${event.cluster} ${event.limit}`, event.rejected);
      return rejected === undefined ? undefined : { ...event, rejected };
    }
    if (event.type === 'upstream_failure') {
      const failures = this.#note(`failure ${event.cluster} ${event.reason}`, event.failures);
      return failures === undefined ? undefined : { ...event, failures };
    }
    return event;
  }

  #note(kind: string, count: number): number | undefined {
    const total = (this.#totals.get(kind) ?? 0) + count;
    this.#totals.set(kind, total);
    return this.#rare.note(kind, total);
  }
}
