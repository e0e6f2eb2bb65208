import { type Clock, systemClock } from '#platform/foundation';

/** The system's clock, which a test can turn forwards. */
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
