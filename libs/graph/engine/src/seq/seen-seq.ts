/**
 * The part of the history seen by a request: the greatest sequence number of the snapshots that it read and
 * the batches that it wrote. It is stored in the asynchronous context, so that the code between the engine
 * and the response need not pass it on. Without a context, each function costs one read of a variable.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<SeenSeq>();

export class SeenSeq {
  #seq: number | undefined;

  /** Undefined if nothing was read or written. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** Records the reads and writes of `work` and of its asynchronous continuations. */
  within<T>(work: () => T): T {
    return current.run(this, work);
  }

  note(seq: number): void {
    if (this.#seq === undefined || seq > this.#seq) this.#seq = seq;
  }
}

/** Records that the current request, if any, has seen the history up to `seq`. */
export function noteSeen(seq: number): void {
  current.getStore()?.note(seq);
}
