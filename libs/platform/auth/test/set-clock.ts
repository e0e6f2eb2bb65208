import type { Clock } from '#platform/foundation';

/** A clock that stands until it is moved on. */
export class SetClock implements Clock {
  #ms = 1_900_000_000_000;

  pass(ms: number): void {
    this.#ms += ms;
  }

  nowMs(): number {
    return this.#ms;
  }

  monotonicMs(): number {
    return this.#ms;
  }
}
