/**
 * Transactions signed in advance, for each account by nonce.
 *
 * 1. The entry of the mix for a transaction is drawn for each account in the order of its nonces. Entries
 *    without a nonce of the line (`invalid_nonce`) are drawn in between, and wait until the line reaches the
 *    nonce before which they were drawn.
 * 2. When half of an account's stock is used, its next nonces are ordered together with those of others: a
 *    message to a thread costs as much as ten signatures. Accounts without stock are first, and at once.
 * 3. A freed nonce is signed again as another transaction: its gas limit differs.
 */
import { Fifo } from '#platform/foundation';
import type { Blueprint, Mix } from './blueprint.ts';
import type { NonceLine } from './nonce-line.ts';
import type { SignedBatch, SignedItem } from './open-transaction.ts';
import type { SigningItem } from './signing-order.ts';
import type { SigningPool } from './signing-pool.ts';

export interface SigningStockOptions {
  readonly pool: SigningPool;
  readonly mix: Mix;
  readonly blueprints: readonly Blueprint[];
  /** The line of each account, by its position. */
  readonly lines: readonly NonceLine[];
  /** The number of transactions in stock for each account, to begin with. */
  readonly depth: number;
  /** The number of transactions still to send; no more than that are signed. */
  readonly demand: () => number;
  /** Called when signing has failed for good. */
  readonly onBroken: (error: Error) => void;
}

interface AccountSupply {
  readonly position: number;
  readonly line: NonceLine;
  readonly firstNonce: number;
  readonly signed: Map<number, SignedItem>;
  readonly ordered: Set<number>;
  readonly beside: Fifo<SignedItem>;
  /** Entries drawn so far, and the nonces for which they were. */
  drawn: number;
  drawnNonces: number;
  variant: number;
  isWanting: boolean;
}

/** A small number, so that a signing thread does not take the processor from the sending one for long. */
const ITEMS_AN_ORDER = 64;
/**
 * The number of accounts, or the milliseconds, until an order is sent; the stock of an account lasts longer.
 */
const ACCOUNTS_AN_ORDER = 32;
const GATHER_MS = 50;
const ITEMS_A_VISIT = 16;
const ORDERS_A_THREAD = 2;
const BESIDE_IN_A_ROW_MAX = 100;
/** More nonces than the account can use while the transaction waits. */
const HIGH_NONCE_DISTANCE = 1_000;

export class SigningStock {
  readonly #options: SigningStockOptions;
  readonly #supplies: readonly AccountSupply[];
  readonly #urgent = new Fifo<AccountSupply>();
  readonly #wanting = new Fifo<AccountSupply>();
  readonly #listeners: ((position: number) => void)[] = [];
  #depth: number;
  #onFull: (() => void) | undefined;
  #gathering: NodeJS.Timeout | undefined;
  /** Number of transactions that are signed or ordered. */
  #count = 0;

  constructor(options: SigningStockOptions) {
    this.#options = options;
    this.#depth = options.depth;
    this.#supplies = options.lines.map((line, position) => ({
      position,
      line,
      firstNonce: line.next,
      signed: new Map(),
      ordered: new Set(),
      beside: new Fifo(),
      drawn: 0,
      drawnNonces: line.next,
      variant: 0,
      isWanting: false,
    }));
  }

  /** The listener is called with each account that may have a new transaction. */
  listen(listener: (position: number) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves when every account has its stock, at the latest after `patienceMs`. */
  async fill(patienceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const end = (): void => {
      resolve(undefined);
    };
    const late = setTimeout(end, patienceMs);
    this.#onFull = end;
    for (const supply of this.#supplies) this.#want(supply, false);
    this.#order();
    await promise;
    clearTimeout(late);
    this.#onFull = undefined;
  }

  hasNext(position: number): boolean {
    const supply = this.#supplies[position];
    return supply !== undefined && (isBesideDue(supply) || supply.signed.has(supply.line.next));
  }

  /** The account's next transaction; undefined while it is not signed. */
  nextOf(position: number): SignedItem | undefined {
    const supply = this.#supplies[position];
    if (supply === undefined) return undefined;
    if (isBesideDue(supply)) return supply.beside.shift();
    const signed = supply.signed.get(supply.line.next);
    if (supply.signed.delete(supply.line.next)) this.#count--;
    this.refill(position);
    return signed;
  }

  /** Orders the account's missing transactions if there are many. */
  refill(position: number): void {
    const supply = this.#supplies[position];
    if (supply === undefined) return;
    const isEmpty = !supply.signed.has(supply.line.next) && !supply.ordered.has(supply.line.next);
    const isWellStocked = supply.signed.size + supply.ordered.size > this.#depth / 2;
    if (!isEmpty && (isWellStocked || this.#count >= this.#options.demand())) return;
    this.#want(supply, isEmpty);
    this.#orderSoon();
  }

  /** Keeps a larger stock from now on. */
  deepen(depth: number): void {
    this.#depth = Math.max(this.#depth, depth);
  }

  /** Signs the whole stock again as other transactions, after a change of fees. */
  renew(): void {
    for (const supply of this.#supplies) {
      this.#count -= supply.signed.size;
      supply.signed.clear();
      this.#want(supply, false);
    }
    this.#order();
  }

  #want(supply: AccountSupply, isUrgent: boolean): void {
    if (supply.isWanting) return;
    supply.isWanting = true;
    (isUrgent ? this.#urgent : this.#wanting).push(supply);
  }

  #orderSoon(): void {
    const isDue = this.#onFull !== undefined || this.#urgent.size > 0;
    if (isDue || this.#wanting.size >= ACCOUNTS_AN_ORDER) this.#order();
    else if (this.#wanting.size > 0) this.#gathering ??= setTimeout(() => this.#order(), GATHER_MS).unref();
  }

  #order(): void {
    const { pool, onBroken } = this.#options;
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    while (pool.openOrders < pool.threads * ORDERS_A_THREAD) {
      const items = this.#collect();
      if (items.length === 0) break;
      pool.sign(items).then((batch) => {
        this.#place(batch);
      }, onBroken);
    }
    if (pool.openOrders === 0) this.#onFull?.();
  }

  #collect(): readonly SigningItem[] {
    const items: SigningItem[] = [];
    while (items.length < ITEMS_AN_ORDER) {
      const supply = this.#urgent.shift() ?? this.#wanting.shift();
      if (supply === undefined) break;
      const lacking = this.#lackingOf(supply);
      for (const nonce of lacking.slice(0, ITEMS_A_VISIT)) items.push(...this.#draw(supply, nonce));
      supply.isWanting = lacking.length > ITEMS_A_VISIT;
      if (supply.isWanting) this.#wanting.push(supply);
    }
    return items;
  }

  #lackingOf({ line, signed, ordered }: AccountSupply): readonly number[] {
    for (const nonce of signed.keys()) if (nonce < line.next && signed.delete(nonce)) this.#count--;
    return line.upcoming(this.#depth).filter((nonce) => !signed.has(nonce) && !ordered.has(nonce));
  }

  /** The item for a nonce, after the items without a nonce that were drawn before it. */
  #draw(supply: AccountSupply, nonce: number): readonly SigningItem[] {
    const items: SigningItem[] = [];
    const drawn = { position: supply.position, before: nonce };
    const isAgain = nonce < supply.drawnNonces;
    supply.ordered.add(nonce);
    this.#count++;
    supply.drawnNonces = Math.max(supply.drawnNonces, nonce + 1);
    for (;;) {
      const entry = this.#options.mix.entryOf(supply.position, supply.drawn++);
      if (this.#usesNonce(entry)) {
        const variant = isAgain ? ++supply.variant : 0;
        return [...items, { ...drawn, nonce, usesNonce: true, entry, variant }];
      }
      if (isAgain || items.length > BESIDE_IN_A_ROW_MAX) continue;
      const invalid = this.#invalidNonce(supply, entry, nonce);
      items.push({ ...drawn, nonce: invalid, usesNonce: false, entry, variant: ++supply.variant });
    }
  }

  #usesNonce(entry: number): boolean {
    return this.#options.blueprints[entry]?.kind !== 'invalid_nonce';
  }

  #invalidNonce({ firstNonce }: AccountSupply, entry: number, nonce: number): number {
    const isHigh = this.#options.blueprints[entry]?.expect === 'nonce_too_high';
    return isHigh ? nonce + HIGH_NONCE_DISTANCE : Math.max(0, firstNonce - 1);
  }

  #place(batch: SignedBatch): void {
    for (const [index, item] of batch.items.entries()) {
      const supply = this.#supplies[item.position];
      if (supply === undefined) continue;
      const signed = batch.at(index);
      if (item.usesNonce) {
        supply.ordered.delete(item.nonce);
        supply.signed.set(item.nonce, signed);
        for (const listener of this.#listeners) listener(item.position);
      } else supply.beside.push(signed);
    }
    this.#orderSoon();
  }
}

/** A nonce that is too low must have been used before; then the sequencer cannot take it for the next one. */
function isBesideDue({ beside, line }: AccountSupply): boolean {
  const { first } = beside;
  if (first === undefined || line.next < first.item.before) return false;
  const { nonce } = first.item;
  return nonce < line.consumed || nonce > line.next;
}
