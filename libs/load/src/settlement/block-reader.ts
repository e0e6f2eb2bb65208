import { toQuantity } from '#chain';
import { type JsonRpc, readNumber, unexpected } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { BlockReceipts, ReceiptReader } from './block-receipts.ts';

export interface BlockReaderOptions {
  readonly rpc: JsonRpc;
  readonly receipts: ReceiptReader;
  /** The first block that is read. */
  readonly fromBlock: number;
  /** Each block in order, once, those without a receipt of the partition too. */
  readonly onBlock: (block: BlockReceipts) => void;
  /** A block could not be read; it is tried again. */
  readonly onTrouble: (failure: RpcFailure) => void;
  readonly pollMs?: number;
}

const POLL_MS = 200;
const TROUBLE_MS = 1_000;
const BLOCKS_AT_ONCE = 4;

/**
 * Reads the receipts of all blocks as they are made: whole blocks by `eth_getBlockReceipts`, or where that
 * is missing the transactions of each block, and the receipts of our own.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  #hasWholeBlocks = true;
  #next: number;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#next = options.fromBlock;
  }

  open(): void {
    void this.#poll();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  async #poll(): Promise<void> {
    let pauseMs = this.#options.pollMs ?? POLL_MS;
    try {
      await this.#readUpToHead();
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      if (!this.#isClosed) this.#options.onTrouble(error);
      pauseMs = TROUBLE_MS;
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#poll(), pauseMs);
  }

  async #readUpToHead(): Promise<void> {
    const head = await this.#options.rpc.call('eth_blockNumber', [], readNumber);
    while (this.#next <= head && !this.#isClosed) {
      const count = Math.min(BLOCKS_AT_ONCE, head - this.#next + 1);
      const numbers = Array.from({ length: count }, (_, ahead) => this.#next + ahead);
      const blocks = await Promise.all(numbers.map((number) => this.#read(number)));
      for (const block of blocks) {
        // A node behind a balancer may not have what another one has announced.
        if (block === undefined || this.#hasEnded()) return;
        this.#options.onBlock(block);
        this.#next = block.blockNumber + 1;
      }
    }
  }

  #hasEnded(): boolean {
    return this.#isClosed;
  }

  async #read(number: number): Promise<BlockReceipts | undefined> {
    if (!this.#hasWholeBlocks) return this.#readOwn(number);
    const { rpc, receipts } = this.#options;
    try {
      return await rpc.call('eth_getBlockReceipts', [toQuantity(number)], (result) =>
        result === null ? undefined : receipts.read(number, result),
      );
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.failure !== 'method_missing') throw error;
      this.#hasWholeBlocks = false;
      return this.#readOwn(number);
    }
  }

  async #readOwn(number: number): Promise<BlockReceipts | undefined> {
    const { rpc, receipts } = this.#options;
    const own = await rpc.call('eth_getBlockByNumber', [toQuantity(number), true], (block) =>
      block === null ? undefined : transactionsOf(block).filter((one) => receipts.isOwn(one)),
    );
    if (own === undefined) return undefined;
    const params = own.map(({ hash }) => [hash]);
    const list = await rpc.callMany('eth_getTransactionReceipt', params, (receipt) => receipt);
    return list.includes(null) ? undefined : receipts.read(number, list);
  }
}

function transactionsOf(block: unknown): readonly { readonly hash?: unknown }[] {
  const list = typeof block === 'object' && block !== null && 'transactions' in block && block.transactions;
  if (!Array.isArray(list)) throw unexpected('a block with transactions', block);
  return list.filter((one: unknown): one is object => typeof one === 'object' && one !== null);
}
