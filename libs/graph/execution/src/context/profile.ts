import type { Clock } from '#platform/foundation';

export interface Actual {
  /** Total output size of the operator. */
  readonly rows: number;
  /** Includes its inputs, and the time between slices. */
  readonly ms: number;
}

/** Actual figures of operators, by the part of the plan that they executed. */
export class Profile {
  readonly #clock: Clock;
  readonly #actual = new Map<object, Actual>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowMs(): number {
    return this.#clock.monotonicMs();
  }

  note(part: object, rows: number, startedMs: number): void {
    const before = this.#actual.get(part) ?? { rows: 0, ms: 0 };
    this.#actual.set(part, { rows: before.rows + rows, ms: before.ms + this.nowMs() - startedMs });
  }

  actual(part: object): Actual | undefined {
    return this.#actual.get(part);
  }
}
