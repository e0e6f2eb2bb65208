import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { assert } from '#platform/foundation';
import { endThread } from '../thread/end-thread.ts';
import type { Blueprint } from './blueprint.ts';
import { SignedBatch } from './signed-transaction.ts';
import type {
  Fees,
  SignedPages,
  SignerMessage,
  SignerSetup,
  SigningColumns,
  SigningItem,
} from './signing-order.ts';

const WORKER_URL = new URL(`./signer-worker${extname(import.meta.url)}`, import.meta.url);

interface OpenOrder {
  readonly items: readonly SigningItem[];
  readonly firstId: number;
  readonly fees: Fees;
  readonly resolve: (batch: SignedBatch) => void;
  readonly reject: (error: Error) => void;
}

interface SignerThread {
  readonly worker: Worker;
  /** In the order in which the thread answers. */
  readonly orders: OpenOrder[];
}

/** Threads that sign, each order on the one with the fewest. */
export class SigningPool {
  readonly #threads: readonly SignerThread[];
  #fees: Fees | undefined;
  #nextId = 1;
  #failure: Error | undefined;

  constructor(setup: SignerSetup, threads: number) {
    this.#threads = Array.from({ length: threads }, () => {
      const worker = new Worker(WORKER_URL, { workerData: setup });
      const thread: SignerThread = { worker, orders: [] };
      thread.worker.on('message', (pages: SignedPages) => {
        const order = thread.orders.shift();
        order?.resolve(new SignedBatch(order.items, pages, order));
      });
      thread.worker.once('error', (error) => {
        this.#fail(error instanceof Error ? error : new Error(String(error)));
      });
      return thread;
    });
  }

  /** Orders that no thread has done. */
  get openOrders(): number {
    return this.#threads.reduce((sum, { orders }) => sum + orders.length, 0);
  }

  get threads(): number {
    return this.#threads.length;
  }

  /** Holds for orders from now on. */
  use(blueprints: readonly Blueprint[], fees: Fees): void {
    this.#fees = fees;
    for (const { worker } of this.#threads) {
      worker.postMessage({ kind: 'blueprints', blueprints, fees } satisfies SignerMessage);
    }
  }

  /** Rejects when a thread has ended, or the pool is closed. */
  sign(items: readonly SigningItem[]): Promise<SignedBatch> {
    assert(this.#fees !== undefined, 'blueprints come before orders');
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const thread = this.#threads.reduce((least, other) =>
      other.orders.length < least.orders.length ? other : least,
    );
    const { promise, resolve, reject } = Promise.withResolvers<SignedBatch>();
    thread.orders.push({ items, firstId: this.#nextId, fees: this.#fees, resolve, reject });
    post(thread.worker, items, this.#nextId);
    this.#nextId += items.length;
    return promise;
  }

  /** What is being signed is signed to its end. */
  async close(): Promise<void> {
    this.#fail(new Error('the signing threads are closed'));
    await Promise.all(this.#threads.map(({ worker }) => endThread(worker)));
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { orders } of this.#threads) for (const { reject } of orders.splice(0)) reject(error);
  }
}

function post(worker: Worker, items: readonly SigningItem[], firstId: number): void {
  const columns: SigningColumns = {
    positions: Uint32Array.from(items, ({ position }) => position),
    nonces: Float64Array.from(items, ({ nonce }) => nonce),
    entries: Uint8Array.from(items, ({ entry }) => entry),
    variants: Uint32Array.from(items, ({ variant }) => variant),
  };
  worker.postMessage({ kind: 'sign', columns, firstId } satisfies SignerMessage);
}
