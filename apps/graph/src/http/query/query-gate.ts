import { DomainError } from '#foundation';

/** Lets a bounded number of queries run, and a bounded number wait, in the order they came. */
export class QueryGate {
  readonly #runningMax: number;
  readonly #waitingMax: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limits: { readonly runningMax: number; readonly waitingMax: number }) {
    this.#runningMax = limits.runningMax;
    this.#waitingMax = limits.waitingMax;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when it is this one's turn; {@link leave} must follow. Throws TOO_BUSY when too many wait. */
  enter(): Promise<void> {
    if (this.#running < this.#runningMax) {
      this.#running++;
      return Promise.resolve();
    }
    if (this.#waiting.length >= this.#waitingMax) {
      const limit = this.#runningMax + this.#waitingMax;
      throw new DomainError(
        'TOO_BUSY',
        `expected at most ${String(limit)} queries at a time: try again soon`,
      );
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Gives the place to the next one. */
  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#running--;
    else next();
  }
}
