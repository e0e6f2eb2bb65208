import type { ProxyEvent } from '../source/proxy-event.ts';
import { kindOf } from '../source/upstream-failure.ts';
import type { Timers } from './target/cluster-context.ts';

const EVENT_EVERY_MS = 10_000;

/** Rate limit for events of one kind: one in ten seconds, with the number of events it stands for. */
export class RareEvents<Kind> {
  readonly #timers: Timers;
  readonly #reported = new Map<Kind, { readonly atMs: number; readonly total: number }>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `total` includes this event. Returns the number of events to report; undefined: report nothing. */
  note(kind: Kind, total: number): number | undefined {
    const reported = this.#reported.get(kind);
    const atMs = this.#timers.monotonicMs();
    if (reported !== undefined && atMs < reported.atMs + EVENT_EVERY_MS) return undefined;
    this.#reported.set(kind, { atMs, total });
    return total - (reported?.total ?? 0);
  }
}

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
      const kind = kindOf(event.reason, event.code);
      const failures = this.#note(`failure ${event.cluster} ${kind}`, event.failures);
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
