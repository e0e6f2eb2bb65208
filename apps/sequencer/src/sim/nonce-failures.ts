/**
 * Transactions waiting for their predecessor. The latest 1,024 are kept for one second; an evicted or expired
 * one is rejected with its original error, as in Nitro.
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
  /** Failures in order of arrival. */
  readonly #failures = new Map<string, NonceFailure>();

  constructor(limits: NonceFailureLimits) {
    this.#limits = limits;
  }

  /** Expiry of the oldest; undefined if there is none. */
  get nextExpiryMs(): number | undefined {
    const [oldest] = this.#failures.values();
    return oldest === undefined ? undefined : oldest.item.arrivedMs + this.#limits.expiryMs;
  }

  /**
   * Keeps a transaction; rejects it at once if it has expired, or if one with its sender and nonce is kept.
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

  /** Removes and returns the transaction that is now next. */
  take(sender: Address, nonce: number): PendingTransaction | undefined {
    if (this.#failures.size === 0) return undefined;
    const key = keyOf(sender, nonce);
    const failure = this.#failures.get(key);
    this.#failures.delete(key);
    return failure?.item;
  }

  /** Rejects expired transactions. */
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
