import type { Clock } from '#platform/foundation';

/** Units of work (nodes or links touched) between two readings of the clock. */
const WORK_PER_LOOK = 4_096;

/** Units of work per step of a reader. */
const WORK_PER_STEP = 64;

const IDLE = { takeSpent: (): number => 0 };

/** Work that is done elsewhere and counts here. */
export interface WorkMeter {
  /** Units since the last call. */
  takeSpent(): number;
}

/** Determines when a running query yields. */
export class Pace {
  readonly #clock: Clock;
  readonly #elsewhere: WorkMeter;
  #sliceEndMs = 0;
  #work = 0;

  constructor(clock: Clock, elsewhere: WorkMeter = IDLE) {
    this.#clock = clock;
    this.#elsewhere = elsewhere;
  }

  /** Starts a slice that lasts until `endMs` of the clock's monotonic time. */
  startSlice(endMs: number): void {
    this.#sliceEndMs = endMs;
    this.#work = 0;
  }

  /** Adds `work` units and the work done elsewhere; returns whether the slice is over. */
  isDue(work: number): boolean {
    this.#work += work + this.#elsewhere.takeSpent();
    if (this.#work < WORK_PER_LOOK) return false;
    this.#work = 0;
    return this.#clock.monotonicMs() >= this.#sliceEndMs;
  }
  /** Runs the steps of a reader, and yields between them. */
  *through<T>(steps: Generator<void, T>): Generator<void, T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isDue(WORK_PER_STEP)) yield;
    }
  }
}
