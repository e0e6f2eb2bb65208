const FIRST_MS = 200;
const LONGEST_MS = 5_000;

/**
 * Pauses between attempts: each up to twice as long as the last, and anywhere between half of that and all
 * of it, so that edges that lost their hive at one moment do not come back at one.
 */
export class Backoff {
  readonly #random: () => number;
  #longestMs = FIRST_MS;

  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  next(): number {
    const ms = this.#longestMs * (0.5 + this.#random() / 2);
    this.#longestMs = Math.min(LONGEST_MS, this.#longestMs * 2);
    return ms;
  }

  /** An attempt went well. */
  reset(): void {
    this.#longestMs = FIRST_MS;
  }
}
