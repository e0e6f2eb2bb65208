import { DomainError } from './domain-error.ts';

/** Runs tasks one after another, in order of arrival; the number that wait is bounded. */
export class Turns {
  readonly #waitingMax: number;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** Throws TOO_BUSY when too many tasks wait already. */
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

  /** Resolves when all tasks submitted so far are done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
