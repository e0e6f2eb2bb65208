/**
 * What waits to be sequenced, first come first served. As in Nitro `places` of them are in the queue, the
 * others wait in front of it: whoever waits there for too long is refused on the spot, whoever has a place
 * when its turn comes. What a full block had no room for goes before all others.
 */
import type { DecodedTransaction } from '#load/chain';
import { type SimRefusal, REFUSALS } from './refusal.ts';

/** A transaction whose sender waits for what becomes of it. */
export interface PendingTransaction {
  readonly transaction: DecodedTransaction;
  /** Of the monotonic clock. */
  readonly arrivedMs: number;
  /** Whether the sender has hung up: then it is not sequenced, as in Nitro. */
  isAbandoned(): boolean;
  /** Ends the waiting: undefined when it is sequenced. To be called once. */
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

  /** The next one whose sender still waits and is not too late; the others are done with. */
  take(nowMs: number): PendingTransaction | undefined {
    for (let item = this.#shift(); item !== undefined; item = this.#shift()) {
      if (item.isAbandoned()) continue;
      if (!this.#isLate(item, nowMs)) return item;
      item.settle(REFUSALS.queueTimeout);
    }
    return undefined;
  }

  /** Refuses those without a place who have waited for too long. Gives when to look again. */
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
    return waiting === undefined ? undefined : waiting.arrivedMs + this.limits.timeoutMs;
  }

  #isLate({ arrivedMs }: PendingTransaction, nowMs: number): boolean {
    return nowMs - arrivedMs >= this.limits.timeoutMs;
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
