import type { Clock } from '#platform/foundation';
import type { TextWork } from '../value/text-work.ts';

/** Units of work (nodes or links touched) between two looks at the clock. */
const WORK_PER_LOOK = 4_096;

/** What one step of a reader stands for. */
const WORK_PER_STEP = 64;

/** Tells a running query when to let others have a turn. */
export class Pace {
  readonly #clock: Clock;
  readonly #text: TextWork;
  #sliceEndMs = 0;
  #work = 0;

  constructor(clock: Clock, text: TextWork) {
    this.#clock = clock;
    this.#text = text;
  }

  /** Until `endMs`, as the clock's monotonic time. */
  startSlice(endMs: number): void {
    this.#sliceEndMs = endMs;
    this.#work = 0;
  }

  /** After `work` more units, and what was spent on text: whether the slice is over. */
  isDue(work: number): boolean {
    this.#work += work + this.#text.takeSpent();
    if (this.#work < WORK_PER_LOOK) return false;
    this.#work = 0;
    return this.#clock.monotonicMs() >= this.#sliceEndMs;
  }
  /** Takes the steps of a reader, and lets others have their turn between them. */
  *through<T>(steps: Generator<void, T>): Generator<void, T> {
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      if (this.isDue(WORK_PER_STEP)) yield;
    }
  }
}
