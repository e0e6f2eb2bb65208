import type { Clock } from '#foundation';

/** Units of work (nodes or links touched) between two looks at the clock. */
const WORK_PER_LOOK = 4_096;

/** Tells a running query when to let others have a turn. */
export class Pace {
  readonly #clock: Clock;
  #sliceEndMs = 0;
  #work = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  startSlice(sliceMs: number): void {
    this.#sliceEndMs = this.#clock.monotonicMs() + sliceMs;
    this.#work = 0;
  }

  /** After `work` more units: whether the slice is over. */
  isDue(work: number): boolean {
    this.#work += work;
    if (this.#work < WORK_PER_LOOK) return false;
    this.#work = 0;
    return this.#clock.monotonicMs() >= this.#sliceEndMs;
  }
}
