import type { Clock } from '#platform/foundation';

export interface Actual {
  /** Size of what the operator gave, over all its turns. */
  readonly rows: number;
  /** With what it works on; time given to others is counted too. */
  readonly ms: number;
}

/** What operators did, by the part of the plan that they carried out. */
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
