import { DomainError } from './domain-error.ts';

/** One after another, in the order they came; so many may wait. */
export class Turns {
  readonly #waitingMax: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** Throws TOO_BUSY when too many wait already. */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#waiting > this.#waitingMax) {
      throw new DomainError('TOO_BUSY', `expected at most ${this.#waitingMax} waiting: try again soon`);
    }
    this.#waiting++;
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waiting--;
    }
  }

  /** Resolves when all that came so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
