import { DomainError } from './errors.ts';

const SLACK = 1_024;

/** A queue whose removal does not move the remaining items. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  /** Undefined when the queue is empty. */
  get first(): T | undefined {
    return this.#items[this.#head];
  }

  /** All items, in order. */
  *entries(): Generator<T> {
    for (let at = this.#head; at < this.#items.length; at++) {
      const item = this.#items[at];
      if (item !== undefined) yield item;
    }
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    const item = this.#items[this.#head];
    if (this.#head === this.#items.length) return undefined;
    this.#items[this.#head++] = undefined;
    if (this.#head > SLACK && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

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

  /** Whether a task runs, or waits. */
  get isTaken(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves when all tasks submitted so far are done. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
