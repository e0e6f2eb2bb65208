/**
 * The part of the history seen by a request: the greatest sequence number of the snapshots that it read and
 * the batches that it wrote, with its epoch: the store may have another one when the reply is sent; and
 * whether the reply is a stored one. It is stored in the asynchronous context, so that the code between the
 * engine and the response need not pass it on. Without a context, each function costs one read of a variable.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SeqPoint } from './seq-position.ts';

const current = new AsyncLocalStorage<SeenSeq>();

export class SeenSeq {
  #point: SeqPoint | undefined;
  #isRepeated = false;

  /** Whether the reply is that of an earlier request with the same id. */
  get isRepeated(): boolean {
    return this.#isRepeated;
  }

  /** Undefined if nothing was read or written. */
  get point(): SeqPoint | undefined {
    return this.#point;
  }

  /** Records the reads and writes of `work` and of its asynchronous continuations. */
  within<T>(work: () => T): T {
    return current.run(this, work);
  }

  /** Notes a sequence number; if there are two epochs, the later call counts. */
  note(epoch: string, seq: number): void {
    if (this.#point?.epoch !== epoch || seq > this.#point.seq) this.#point = { epoch, seq };
  }

  noteRepeated(): void {
    this.#isRepeated = true;
  }
}

/** Records that the current request, if any, has seen the history of an epoch up to `seq`. */
export function noteSeen(epoch: string, seq: number): void {
  current.getStore()?.note(epoch, seq);
}

/** Records that the current request, if any, gets the reply of an earlier one, and has written nothing. */
export function noteRepeated(): void {
  current.getStore()?.noteRepeated();
}
