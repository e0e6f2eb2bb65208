import { BoltFault } from '../failure/bolt-fault.ts';

/** Messages that have arrived and are not answered, of all connections together. */
export class HeldBytes {
  readonly #max: number;
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /**
   * Counts a connection that held `before` bytes, and holds `now`. Throws above the maximum, unless it holds
   * little: a client that sends small messages does not suffer from others.
   */
  change(before: number, now: number): void {
    this.#total += now - before;
    if (this.#total <= this.#max || now <= LITTLE_BYTES || now <= before) return;
    throw new BoltFault(
      'Neo.TransientError.General.MemoryPoolOutOfMemoryError',
      `expected messages of at most ${this.#max} bytes at a time from all clients: try again soon`,
      { isFatal: true },
    );
  }
}

const LITTLE_BYTES = 256 * 1024;
