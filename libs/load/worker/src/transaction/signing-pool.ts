import { assert } from '#platform/foundation';
import { Thread, workerUrl } from '#platform/threads';
import type { Blueprint } from './blueprint.ts';
import { SignedBatch } from './open-transaction.ts';
import type { Fees, SignerSetup, SigningCalls, SigningColumns, SigningItem } from './signing-order.ts';

/** Signing threads; an order is sent to the one with the fewest orders. */
export class SigningPool {
  readonly #threads: readonly Thread<SigningCalls>[];
  #fees: Fees | undefined;
  #nextId = 1;
  #isClosed = false;

  constructor(setup: SignerSetup, threads: number) {
    const url = workerUrl('signer-worker', import.meta.url);
    this.#threads = Array.from({ length: threads }, () => new Thread({ url, setup, endedError: closed }));
  }

  /** The number of uncompleted orders. */
  get openOrders(): number {
    return this.#threads.reduce((sum, { openCalls }) => sum + openCalls, 0);
  }

  get threads(): number {
    return this.#threads.length;
  }

  /** Applies to later orders. */
  use(blueprints: readonly Blueprint[], fees: Fees): void {
    this.#fees = fees;
    for (const thread of this.#threads) thread.send('use', blueprints, fees);
  }

  /** Rejects when a thread has ended, or the pool is closed. */
  async sign(items: readonly SigningItem[]): Promise<SignedBatch> {
    assert(this.#fees !== undefined, 'blueprints come before orders');
    const order = { firstId: this.#nextId, fees: this.#fees };
    this.#nextId += items.length;
    const thread = this.#threads.reduce((least, other) =>
      other.openCalls < least.openCalls ? other : least,
    );
    const pages = await thread.call('sign', [columnsOf(items), order.firstId]);
    if (this.#isClosed) throw closed();
    return new SignedBatch(items, pages, order);
  }

  /** Orders in progress are completed, and their results discarded. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

function closed(): Error {
  return new Error('the signing threads are closed');
}

function columnsOf(items: readonly SigningItem[]): SigningColumns {
  return {
    positions: Uint32Array.from(items, ({ position }) => position),
    nonces: Float64Array.from(items, ({ nonce }) => nonce),
    entries: Uint8Array.from(items, ({ entry }) => entry),
    variants: Uint32Array.from(items, ({ variant }) => variant),
  };
}
