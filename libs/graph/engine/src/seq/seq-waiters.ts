import { DomainError } from '#platform/foundation';

/** One more is refused at once: what waits is held in memory. */
const WAITERS_MAX = 256;

interface Waiter {
  readonly seq: number;
  readonly settle: (isThere: boolean) => void;
}

/** Those who wait until readers may see a sequence number. */
export class SeqWaiters {
  readonly #publishedSeq: () => number;
  readonly #waiting = new Set<Waiter>();
  /** None waits for less: most publications concern nobody. */
  #leastSeq = Infinity;

  constructor(publishedSeq: () => number) {
    this.#publishedSeq = publishedSeq;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves once `seq` is published. Rejects with NOT_CAUGHT_UP when that takes too long, when the signal
   * aborts, and at once when too many wait.
   */
  async reached(seq: number, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    if (seq <= this.#publishedSeq()) return;
    if (this.#waiting.size >= WAITERS_MAX || signal?.aborted === true) throw this.#fault(seq);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter = { seq, settle: resolve };
    const giveUp = (): void => {
      resolve(false);
    };
    const timer = setTimeout(giveUp, timeoutMs);
    signal?.addEventListener('abort', giveUp);
    this.#waiting.add(waiter);
    this.#leastSeq = Math.min(this.#leastSeq, seq);
    try {
      if (!(await promise)) throw this.#fault(seq);
    } finally {
      this.#waiting.delete(waiter);
      clearTimeout(timer);
      signal?.removeEventListener('abort', giveUp);
    }
  }

  /** Call it when readers may see more. */
  published(seq: number): void {
    if (seq < this.#leastSeq) return;
    this.#leastSeq = Infinity;
    for (const waiter of this.#waiting) {
      if (waiter.seq <= seq) waiter.settle(true);
      else this.#leastSeq = Math.min(this.#leastSeq, waiter.seq);
    }
  }

  /** Nothing more will be published. */
  close(): void {
    for (const waiter of this.#waiting) waiter.settle(false);
  }

  #fault(asked: number): DomainError {
    const at = this.#publishedSeq();
    return new DomainError('NOT_CAUGHT_UP', `expected to be at ${asked}, is at ${at}`, {
      details: { asked, at },
    });
  }
}
