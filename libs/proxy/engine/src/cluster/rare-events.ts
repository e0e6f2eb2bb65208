import type { Timers } from './target/cluster-surroundings.ts';

const EVENT_EVERY_MS = 10_000;

/** Tells which of many things of one kind are to be told: one in ten seconds, and how many it stands for. */
export class RareEvents<Kind> {
  readonly #timers: Timers;
  readonly #told = new Map<Kind, { readonly atMs: number; readonly total: number }>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** `total` with this one. Gives how many it stands for; undefined: it is not told. */
  note(kind: Kind, total: number): number | undefined {
    const told = this.#told.get(kind);
    const atMs = this.#timers.monotonicMs();
    if (told !== undefined && atMs < told.atMs + EVENT_EVERY_MS) return undefined;
    this.#told.set(kind, { atMs, total });
    return total - (told?.total ?? 0);
  }
}
