import { type Clock, systemClock } from '#platform/foundation';

/** The system clock with an offset that a test can advance. */
export class TurnedClock implements Clock {
  #aheadMs = 0;

  turn(ms: number): void {
    this.#aheadMs += ms;
  }

  nowMs(): number {
    return systemClock.nowMs() + this.#aheadMs;
  }

  monotonicMs(): number {
    return systemClock.monotonicMs() + this.#aheadMs;
  }
}
