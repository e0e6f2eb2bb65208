/**
 * Transactions whose predecessor has not come yet. They are kept for a second, the latest 1,024 of them;
 * one that is pushed out or runs out of time is refused with what was wrong when it came, as in Nitro.
 */
import { type Address, toHex } from '#load/chain';
import type { SimRefusal } from './refusal.ts';
import type { PendingTransaction } from './transaction-queue.ts';

export interface NonceFailureLimits {
  readonly count: number;
  readonly expiryMs: number;
}

interface NonceFailure {
  readonly item: PendingTransaction;
  readonly refusal: SimRefusal;
}

export class NonceFailures {
  readonly #limits: NonceFailureLimits;
  /** In order of arrival. */
  readonly #failures = new Map<string, NonceFailure>();

  constructor(limits: NonceFailureLimits) {
    this.#limits = limits;
  }

  /** When the oldest runs out of time; undefined when there is none. */
  get nextExpiryMs(): number | undefined {
    const [oldest] = this.#failures.values();
    return oldest === undefined ? undefined : oldest.item.arrivedMs + this.#limits.expiryMs;
  }

  /**
   * Keeps one; refuses it at once when its time is up, or when one of its sender and nonce is kept already.
   */
  add(item: PendingTransaction, refusal: SimRefusal, nowMs: number): void {
    const { sender, nonce } = item.transaction;
    const key = keyOf(sender, nonce);
    if (this.#failures.has(key) || nowMs - item.arrivedMs >= this.#limits.expiryMs) {
      item.settle(refusal);
      return;
    }
    this.#failures.set(key, { item, refusal });
    if (this.#failures.size > this.#limits.count) this.#refuseOldest();
  }

  /** Takes out the one whose turn it is now. */
  take(sender: Address, nonce: number): PendingTransaction | undefined {
    if (this.#failures.size === 0) return undefined;
    const key = keyOf(sender, nonce);
    const failure = this.#failures.get(key);
    this.#failures.delete(key);
    return failure?.item;
  }

  /** Refuses those whose time is up. */
  expire(nowMs: number): void {
    while ((this.nextExpiryMs ?? Infinity) <= nowMs) this.#refuseOldest();
  }

  #refuseOldest(): void {
    const [oldest] = this.#failures;
    if (oldest === undefined) return;
    const [key, { item, refusal }] = oldest;
    this.#failures.delete(key);
    item.settle(refusal);
  }
}

function keyOf(sender: Address, nonce: number): string {
  return `${toHex(sender)}:${nonce}`;
}
