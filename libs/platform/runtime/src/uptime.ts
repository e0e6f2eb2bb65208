import type { Clock } from '#platform/foundation';

/** The time since the start of the application. */
export class Uptime {
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startMs = clock.monotonicMs();
  }

  get seconds(): number {
    return Math.floor((this.#clock.monotonicMs() - this.#startMs) / 1_000);
  }
}
