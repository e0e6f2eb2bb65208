/**
 * What a request has seen of the history: the greatest sequence number among the snapshots that it read and
 * the batches that it wrote. Carried by the asynchronous context, so that nothing between the engine and who
 * answers has to hand it on; without one, each function here is one look at a variable.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<SeenSeq>();

export class SeenSeq {
  #seq: number | undefined;

  /** Undefined when nothing was read or written. */
  get seq(): number | undefined {
    return this.#seq;
  }

  /** What `work` reads and writes, and what it begins, is seen. */
  within<T>(work: () => T): T {
    return current.run(this, work);
  }

  note(seq: number): void {
    if (this.#seq === undefined || seq > this.#seq) this.#seq = seq;
  }
}

/** The request that the caller works for, if any, has seen the history up to here. */
export function noteSeen(seq: number): void {
  current.getStore()?.note(seq);
}
