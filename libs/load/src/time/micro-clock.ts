/**
 * Microseconds since 1970 that never run backwards: the wall clock once, the monotonic clock from there on.
 * All threads that get the same `epochUs` agree to the microsecond.
 */
export class MicroClock {
  /** The wall clock's time when the machine's monotonic clock was 0. */
  readonly epochUs: number;
  /** This thread's `performance.now()` began so long after the monotonic clock's 0. */
  readonly #startUs: number;

  constructor(epochUs = Date.now() * 1_000 - monotonicUs()) {
    this.epochUs = epochUs;
    this.#startUs = monotonicUs() - performance.now() * 1_000;
  }

  nowUs(): number {
    return Math.round(this.epochUs + this.#startUs + performance.now() * 1_000);
  }
}

function monotonicUs(): number {
  return Number(process.hrtime.bigint()) / 1_000;
}
