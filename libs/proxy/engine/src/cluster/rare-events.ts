import type { Timers } from './target/cluster-surroundings.ts';

const EVENT_EVERY_MS = 10_000;

/** Rate limit for events of one kind: one in ten seconds, with the number of events it stands for. */
export class RareEvents<Kind> {
  readonly #timers: Timers;
  readonly #told = new Map<Kind, { readonly atMs: number; readonly total: number }>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `total` includes this event. Returns the number of events to report; undefined: report nothing. */
  note(kind: Kind, total: number): number | undefined {
    const told = this.#told.get(kind);
    const atMs = this.#timers.monotonicMs();
    if (told !== undefined && atMs < told.atMs + EVENT_EVERY_MS) return undefined;
    this.#told.set(kind, { atMs, total });
    return total - (told?.total ?? 0);
  }
}
