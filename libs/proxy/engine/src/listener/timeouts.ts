import type { Timers } from '../cluster/target/cluster-context.ts';
import { TimeoutList } from './timeout-list.ts';

/** Time for the first bytes of a new connection whose listener closes: they may be on their way. */
export const FIRST_BYTES_MS = 1_000;

/** The time-outs of fronts: a clock, and one list for each configured duration. */
export class Timeouts {
  readonly timers: Timers;
  readonly #lists = new Map<number, TimeoutList>();

  constructor(timers: Timers) {
    this.timers = timers;
  }

  /** Returns the list for a duration; 0 is one that never expires. */
  of(durationMs: number): TimeoutList {
    const known = this.#lists.get(durationMs);
    if (known !== undefined) return known;
    const list = new TimeoutList(durationMs, this.timers);
    this.#lists.set(durationMs, list);
    return list;
  }
}
