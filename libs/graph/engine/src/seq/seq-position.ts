/**
 * A position in a history: the token `<epoch>.<sequence number>` as exchanged with clients, and the requests
 * that wait for a position.
 */
import { DomainError } from '#platform/foundation';

/** Default time-out of a request that waits for a position. */
export const SEQ_WAIT_MS = 5_000;

/** The epoch of a token, as a regular expression. In `1.5` there is none: that is a number. */
export const EPOCH_PATTERN = String.raw`(?!\d{1,15}\.)([\w-]{1,64})`;
const TOKEN = new RegExp(String.raw`^${EPOCH_PATTERN}\.(0|[1-9]\d{0,15})$`);

/** A sequence number means something only within its epoch. */
export interface SeqPoint {
  readonly epoch: string;
  readonly seq: number;
}

export function seqToken({ epoch, seq }: SeqPoint): string {
  return `${epoch}.${String(seq)}`;
}

/** The point of a token; undefined for any other text. */
export function seqPointOf(token: string): SeqPoint | undefined {
  const [, epoch, digits = ''] = TOKEN.exec(token) ?? [];
  const seq = Number(digits);
  return epoch !== undefined && Number.isSafeInteger(seq) ? { epoch, seq } : undefined;
}

/** Throws INVALID_REQUEST for a malformed token. */
export function parseSeqToken(token: string): SeqPoint {
  const point = seqPointOf(token);
  if (point !== undefined) return point;
  throw new DomainError('INVALID_REQUEST', 'Plexus-Seq: expected one that a reply has given', {
    details: { field: 'Plexus-Seq' },
  });
}

/** The error for a point that is not in the history of `epoch`. */
export function foreignPoint(epoch: string): DomainError {
  const message = `Plexus-Seq: expected one of epoch ${epoch}; the store was restored or lost batches since, or is another`;
  return new DomainError('CONFLICT', message, { details: { field: 'Plexus-Seq', epoch } });
}

/** Maximum number of waiters, which use memory; further ones are rejected at once. */
const WAITERS_MAX = 256;

interface Waiter {
  readonly seq: number;
  readonly settle: (isThere: boolean) => void;
}

/** Requests that wait until a sequence number is visible to readers. */
export class SeqWaiters {
  readonly #publishedSeq: () => number;
  readonly #waiting = new Set<Waiter>();
  /** The lowest awaited number: most publications concern no waiter. */
  #leastSeq = Infinity;

  constructor(publishedSeq: () => number) {
    this.#publishedSeq = publishedSeq;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when `seq` is published. Rejects with NOT_CAUGHT_UP on time-out, on abort of the signal, and at
   * once above the maximum number of waiters.
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

  /** Call after each publication. */
  published(seq: number): void {
    if (seq < this.#leastSeq) return;
    this.#leastSeq = Infinity;
    for (const waiter of this.#waiting) {
      if (waiter.seq <= seq) waiter.settle(true);
      else this.#leastSeq = Math.min(this.#leastSeq, waiter.seq);
    }
  }

  /** Rejects all waiters: there are no further publications. */
  close(): void {
    for (const waiter of this.#waiting) waiter.settle(false);
  }

  #fault(asked: number): DomainError {
    return notCaughtUp(asked, this.#publishedSeq());
  }
}

/** The state of this process is older than the one that was asked for. */
export function notCaughtUp(asked: number, at: number): DomainError {
  return new DomainError('NOT_CAUGHT_UP', `expected to be at ${asked}, is at ${at}`, {
    details: { asked, at },
  });
}
