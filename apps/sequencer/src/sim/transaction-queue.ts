/**
 * Transactions waiting to be sequenced, first come, first served. As in Nitro, `places` of them are in the
 * queue, and the others wait in front of it: an expired one in front is rejected at once, an expired one in
 * the queue when it is next. Transactions left over from a full block precede all others.
 */
import type { DecodedTransaction } from '#load/chain';
import type { Conditions } from './conditions.ts';
import { type SimRefusal, REFUSALS } from './refusal.ts';

/** A transaction whose sender waits for the result. */
export interface PendingTransaction {
  readonly transaction: DecodedTransaction;
  /** Time of the monotonic clock. */
  readonly arrivedMs: number;
  /** It came by the express lane. */
  readonly isTimeboosted?: boolean;
  /** What must hold in its block. */
  readonly conditions?: Conditions | undefined;
  /** When it expires, if that is before the time-out of the queue. */
  readonly expiresMs?: number;
  /** Whether the sender has disconnected: then it is not sequenced, as in Nitro. */
  isAbandoned(): boolean;
  /** Ends the wait, with undefined if it is sequenced. Call once. */
  settle(refusal: SimRefusal | undefined): void;
}

export interface QueueLimits {
  readonly places: number;
  readonly timeoutMs: number;
}

export class TransactionQueue {
  readonly limits: QueueLimits;
  #first: PendingTransaction[] = [];
  #items: PendingTransaction[] = [];
  #next = 0;

  constructor(limits: QueueLimits) {
    this.limits = limits;
  }

  get length(): number {
    return this.#first.length + this.#items.length - this.#next;
  }

  push(item: PendingTransaction): void {
    this.#items.push(item);
  }

  /** Puts an item before all others. */
  putBack(item: PendingTransaction): void {
    this.#first.push(item);
  }

  /** The next transaction with a waiting sender that has not expired; those before it are removed. */
  take(nowMs: number): PendingTransaction | undefined {
    for (let item = this.#shift(); item !== undefined; item = this.#shift()) {
      if (item.isAbandoned()) continue;
      if (!this.#isLate(item, nowMs)) return item;
      item.settle(REFUSALS.queueTimeout);
    }
    return undefined;
  }

  /** Rejects expired transactions in front of the queue. Returns the time of the next check. */
  refuseLate(nowMs: number): number | undefined {
    const waitingFrom = this.#next + this.limits.places;
    let late = waitingFrom;
    for (
      let item = this.#items[late];
      item !== undefined && this.#isLate(item, nowMs);
      item = this.#items[late]
    ) {
      item.settle(REFUSALS.queueTimeout);
      late++;
    }
    this.#items.splice(waitingFrom, late - waitingFrom);
    const waiting = this.#items[waitingFrom];
    return waiting === undefined ? undefined : this.#expiryOf(waiting);
  }

  #isLate(item: PendingTransaction, nowMs: number): boolean {
    return nowMs >= this.#expiryOf(item);
  }

  #expiryOf({ arrivedMs, expiresMs = Infinity }: PendingTransaction): number {
    return Math.min(expiresMs, arrivedMs + this.limits.timeoutMs);
  }

  #shift(): PendingTransaction | undefined {
    if (this.#first.length > 0) return this.#first.pop();
    const item = this.#items[this.#next];
    if (item === undefined) return undefined;
    this.#next++;
    if (this.#next === this.#items.length || this.#next >= 4_096) {
      this.#items = this.#items.slice(this.#next);
      this.#next = 0;
    }
    return item;
  }
}
