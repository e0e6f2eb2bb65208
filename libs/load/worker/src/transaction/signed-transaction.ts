/** Hot path: signed transactions as views of the pages that came from a thread. */
import type { Fees, SignedPages, SigningItem } from './signing-order.ts';

const HASH_BYTES = 32;

/** Ready to be sent. */
export interface SignedItem {
  readonly item: SigningItem;
  /** Of the request in `body`. */
  readonly id: number;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
  readonly fees: Fees;
}

/** What one order brought. */
export class SignedBatch {
  readonly items: readonly SigningItem[];
  readonly #pages: SignedPages;
  readonly #firstId: number;
  readonly #fees: Fees;

  constructor(items: readonly SigningItem[], pages: SignedPages, order: { firstId: number; fees: Fees }) {
    this.items = items;
    this.#pages = pages;
    this.#firstId = order.firstId;
    this.#fees = order.fees;
  }

  at(index: number): SignedItem {
    const { bodies, ends, hashes } = this.#pages;
    return {
      item: this.items[index]!,
      id: this.#firstId + index,
      body: bodies.subarray(index === 0 ? 0 : ends[index - 1], ends[index]),
      hash: hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
      fees: this.#fees,
    };
  }
}
