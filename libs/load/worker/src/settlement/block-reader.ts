import { toHex, toQuantity } from '#load/chain';
import type { MicroClock } from '#platform/foundation';
import { type JsonRpc, readNumber } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { type ChainBlockHeader, membersOf, readHeader } from './block-header.ts';
import type { BlockReceipts, ReceiptReader } from './block-receipts.ts';
import { ChainTip } from './chain-tip.ts';

export interface BlockReaderOptions {
  readonly rpc: JsonRpc;
  readonly receipts: ReceiptReader;
  readonly clock: MicroClock;
  /** The block before the first that is read. */
  readonly start: { readonly number: number; readonly hash: Uint8Array };
  readonly listener: BlockListener;
  readonly pollMs?: number;
  readonly troubleMs?: number;
}

export interface BlockListener {
  /** Each block in order, also without receipts of the partition; a replaced number is repeated. */
  onBlock(block: BlockReceipts): void;
  /** The block with this number was replaced; called in descending order. */
  onReplaced(blockNumber: number): void;
  /** The chain was replaced from a block older than the remembered ones: the pinned start is void. */
  onDeep(blockNumber: number): void;
  /** A block could not be read after several attempts, and was skipped. */
  onUnread(blockNumber: number, message: string): void;
  /** A block could not be read; the reader retries. */
  onTrouble(failure: RpcFailure): void;
  /** The RPC lacks a method, and the reader uses another from now on. Called once. */
  onFallback(failure: RpcFailure): void;
}

const POLL_MS = 200;
const TROUBLE_MS = 1_000;
const BLOCKS_AT_ONCE = 4;
/** Maximum number of consecutive attempts for an invalid or unconnected block. */
const TRIES_MAX = 8;

/**
 * Reads all blocks as they are made, each linked to the previous one by its parent hash: the header, and the
 * receipts by `eth_getBlockReceipts`. Without that method, the receipts are read one by one for blocks with
 * own transactions. Replaced blocks are reported, and the new ones are read from the fork on.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #tip: ChainTip;
  #hasWholeBlocks = true;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: BlockReaderOptions) {
    this.#options = options;
    this.#tip = new ChainTip({ ...options.start, hash: toHex(options.start.hash) });
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
      pauseMs = this.#trouble(error) ? 0 : (this.#options.troubleMs ?? TROUBLE_MS);
    }
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.#poll(), pauseMs);
  }

  /** True if the block was skipped: the block after an invalid one is tried only once. */
  #trouble(error: RpcFailure): boolean {
    if (this.#isClosed) return false;
    this.#options.listener.onTrouble(error);
    // An unavailable node may return; an invalid block stays invalid.
    if (error.failure !== 'rpc_garbage' || ++this.#failures < TRIES_MAX) return false;
    this.#failures = TRIES_MAX;
    const number = this.#tip.next;
    this.#tip.leaveOut();
    this.#options.listener.onUnread(number, error.message);
    return true;
  }

  async #readUpToHead(): Promise<void> {
    const { rpc, listener } = this.#options;
    const head = await rpc.call('eth_blockNumber', [], readNumber);
    if (this.#tip.next > head) await this.#checkTip();
    while (this.#tip.next <= head && !this.#isClosed) {
      const first = this.#tip.next;
      const numbers = Array.from({ length: Math.min(BLOCKS_AT_ONCE, head - first + 1) }, (_, i) => first + i);
      const blocks = await Promise.allSettled(numbers.map((number) => this.#read(number)));
      for (const result of blocks) {
        if (result.status === 'rejected') throw result.reason;
        // A node behind a load balancer may lack a block that another one has announced.
        if (result.value === undefined || this.#hasEnded()) return;
        const { header, block } = result.value;
        if (!this.#tip.joins(header) && !(await this.#isStuck(header.number))) return;
        this.#tip.add(header);
        this.#failures = 0;
        listener.onBlock(block);
      }
    }
  }

  /** The block is not connected: goes back to the fork. True if there is none. */
  async #isStuck(number: number): Promise<boolean> {
    if (await this.#checkTip()) return false;
    if (++this.#failures < TRIES_MAX) return false;
    this.#options.listener.onDeep(number);
    return true;
  }

  /** Withdraws replaced blocks; false if there are none. */
  async #checkTip(): Promise<boolean> {
    const { rpc, listener } = this.#options;
    let isReplaced = false;
    for (let last = this.#tip.last; last !== undefined; last = this.#tip.last) {
      const hash = await rpc.call('eth_getBlockByNumber', [toQuantity(last.number), false], (block) =>
        block === null ? undefined : readHeader(block).hash,
      );
      if (hash === last.hash || (hash === undefined && !isReplaced)) return isReplaced;
      isReplaced = true;
      listener.onReplaced(last.number);
      if (!this.#tip.removeLast()) listener.onDeep(last.number);
    }
    return isReplaced;
  }

  #hasEnded(): boolean {
    return this.#isClosed;
  }

  async #read(number: number): Promise<ReadBlock | undefined> {
    const { rpc, receipts, clock } = this.#options;
    for (let attempt = 0; ; attempt++) {
      const read = await (this.#hasWholeBlocks ? this.#readWhole(number) : this.#readEach(number));
      if (read === undefined) return undefined;
      const { header, list } = read;
      // Another block may have replaced it between the two calls.
      if (attempt < 2 && isOfOther(header, list)) continue;
      return rpc.reading('eth_getBlockReceipts', () => ({
        header,
        block:
          list === null
            ? receipts.readNone(header, clock.nowUs())
            : receipts.read(header, list, clock.nowUs()),
      }));
    }
  }

  async #readWhole(number: number): Promise<RawBlock | undefined> {
    const { rpc } = this.#options;
    const params = [toQuantity(number)];
    try {
      const [header, list] = await Promise.all([
        rpc.call('eth_getBlockByNumber', [...params, false], headerOrNone),
        rpc.call('eth_getBlockReceipts', params, (result) => result ?? undefined),
      ]);
      return header === undefined || list === undefined ? undefined : { header, list };
    } catch (error) {
      if (!(error instanceof RpcFailure) || error.failure !== 'method_missing') throw error;
      if (this.#hasWholeBlocks) this.#options.listener.onFallback(error);
      this.#hasWholeBlocks = false;
      return this.#readEach(number);
    }
  }

  /** All receipts of a block with own transactions: only the complete set can be compared with the block. */
  async #readEach(number: number): Promise<RawBlock | undefined> {
    const { rpc, receipts } = this.#options;
    const read = await rpc.call('eth_getBlockByNumber', [toQuantity(number), true], (block) =>
      block === null ? undefined : { header: readHeader(block), isOwn: hasOwn(block, receipts) },
    );
    if (read === undefined) return undefined;
    const { header, isOwn } = read;
    if (!isOwn) return { header, list: null };
    const params = header.txHashes.map((hash) => [hash]);
    const list = await rpc.callMany('eth_getTransactionReceipt', params, (receipt) => receipt);
    return { header, list };
  }
}

interface RawBlock {
  readonly header: ChainBlockHeader;
  /** Null: not requested. */
  readonly list: unknown;
}

interface ReadBlock {
  readonly header: ChainBlockHeader;
  readonly block: BlockReceipts;
}

function headerOrNone(block: unknown): ChainBlockHeader | undefined {
  return block === null ? undefined : readHeader(block);
}

function hasOwn(block: unknown, receipts: ReceiptReader): boolean {
  const { transactions } = membersOf(block);
  return Array.isArray(transactions) && transactions.some((one: unknown) => receipts.isOwn(one));
}

function isOfOther({ hash }: ChainBlockHeader, list: unknown): boolean {
  const [first] = Array.isArray(list) ? (list as readonly unknown[]) : [];
  if (typeof first !== 'object' || first === null || !('blockHash' in first)) return false;
  return typeof first.blockHash === 'string' && first.blockHash.toLowerCase() !== hash;
}
