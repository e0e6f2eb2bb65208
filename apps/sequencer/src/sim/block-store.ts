import { Block } from './block.ts';
import type { BlockEntry } from './block-columns.ts';

/** The location of a transaction. */
export interface TransactionPlace {
  readonly block: Block;
  readonly entry: BlockEntry;
}

/** Index and block number share one integer, which a map stores without a separate object. */
const INDEX_ROOM = 2 ** 16;

/**
 * The blocks of the chain, and their transactions by hash. The oldest blocks are removed above the limit of
 * transactions.
 */
export class BlockStore {
  readonly #transactionsMax: number;
  readonly #blocks: (Block | undefined)[];
  readonly #numbers = new Map<string, number>();
  readonly #places = new Map<string, number>();
  #firstKept = 0;
  #transactions = 0;

  constructor(genesis: Block, transactionsMax: number) {
    this.#transactionsMax = transactionsMax;
    this.#blocks = [genesis];
    this.#numbers.set(keyOf(genesis.hash), 0);
  }

  get latest(): Block {
    return this.#blocks.at(-1) ?? Block.genesis(0);
  }

  /** The oldest block whose state and transactions are kept. */
  get firstKept(): number {
    return this.#firstKept;
  }

  append(block: Block): void {
    const { number } = block.header;
    this.#blocks.push(block);
    this.#numbers.set(keyOf(block.hash), number);
    let index = 0;
    for (const hash of block.transactions.hashes())
      this.#places.set(keyOf(hash), number * INDEX_ROOM + index++);
    this.#transactions += block.transactions.length;
    while (this.#transactions > this.#transactionsMax && this.#firstKept < number) this.#forgetFirst();
  }

  /** Replaces the latest block by one with the same transactions. */
  replaceLatest(block: Block): void {
    this.#numbers.delete(keyOf(this.latest.hash));
    this.#blocks[block.header.number] = block;
    this.#numbers.set(keyOf(block.hash), block.header.number);
  }

  byNumber(number: number): Block | undefined {
    return this.#blocks[number];
  }

  byHash(hash: Uint8Array): Block | undefined {
    return this.byNumber(this.#numbers.get(keyOf(hash)) ?? -1);
  }

  transaction(hash: Uint8Array): TransactionPlace | undefined {
    const place = this.#places.get(keyOf(hash));
    const block = place === undefined ? undefined : this.#blocks[Math.floor(place / INDEX_ROOM)];
    if (place === undefined || block === undefined) return undefined;
    return { block, entry: block.transactions.entry(place % INDEX_ROOM) };
  }

  #forgetFirst(): void {
    const block = this.#blocks[this.#firstKept];
    this.#blocks[this.#firstKept++] = undefined;
    if (block === undefined) return;
    this.#numbers.delete(keyOf(block.hash));
    for (const hash of block.transactions.hashes()) this.#places.delete(keyOf(hash));
    this.#transactions -= block.transactions.length;
  }
}

function keyOf(hash: Uint8Array): string {
  return Buffer.from(hash.buffer, hash.byteOffset, hash.length).toString('latin1');
}
