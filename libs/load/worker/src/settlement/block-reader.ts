import { toHex, toQuantity } from '#load/chain';
import type { MicroClock } from '#platform/foundation';
import { type JsonRpc, readNumber } from '../rpc/json-rpc.ts';
import { isOfMethod, RpcFailure } from '../rpc/rpc-reply.ts';
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
  readonly patience?: Partial<ReaderPatience>;
}

/** Time in ms for which blocks are read again that are incomplete or contradictory. */
export interface ReaderPatience {
  /** Receipts are missing: the node may return them later. */
  readonly missingMs: number;
  /** Receipts contradict their block or each other: nodes behind one address may differ for a moment. */
  readonly faultsMs: number;
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
  /** The RPC lacks or refuses a method, and the reader uses another from now on. Called once. */
  onFallback(failure: RpcFailure): void;
}

const POLL_MS = 200;
const TROUBLE_MS = 1_000;
const BLOCKS_AT_ONCE = 4;
/** Maximum number of consecutive attempts for an invalid or unconnected block. */
const TRIES_MAX = 8;
/** Number of failed requests, each repeated, after which receipts are requested one by one. */
const REFUSALS_MAX = 3;
const PATIENCE: ReaderPatience = { missingMs: 60_000, faultsMs: 2_000 };

/**
 * Reads all blocks as they are made, each linked to the previous one by its parent hash: the header, and the
 * receipts by `eth_getBlockReceipts`. Without that method, the receipts are read one by one for blocks with
 * own transactions. Replaced blocks are reported, and the new ones are read from the fork on. A block with
 * missing or contradictory receipts is read again for a while, since the node may be behind itself.
 */
export class BlockReader {
  readonly #options: BlockReaderOptions;
  readonly #tip: ChainTip;
  #hasWholeBlocks = true;
  #failures = 0;
  /** Consecutive failures of whole blocks whose headers could be read. */
  #refusals = 0;
  /** The block that is read again, and since when. */
  #incomplete: { readonly number: number; readonly sinceMs: number } | undefined;
  /** Complaints that stayed, so that the next block with one is not read again. */
  readonly #lasting = new Set<RereadReason>();
  #isHurried = false;
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

  /** Blocks with missing receipts are taken as they are from now on. */
  hurry(): void {
    this.#isHurried = true;
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
        if (this.#isToBeRepeated(block)) return;
        this.#tip.add(header);
        this.#failures = 0;
        listener.onBlock(block);
      }
    }
  }

  /** Whether the block is incomplete or contradictory, and may not be so later. */
  #isToBeRepeated(block: BlockReceipts): boolean {
    const complaint = complaintOf(block);
    if (complaint !== 'missing') this.#lasting.delete('missing');
    if (complaint === undefined || (complaint === 'missing' && this.#isHurried)) return false;
    if (this.#lasting.has(complaint)) return false;
    const nowMs = performance.now();
    if (this.#incomplete?.number !== block.blockNumber)
      this.#incomplete = { number: block.blockNumber, sinceMs: nowMs };
    const { missingMs, faultsMs } = { ...PATIENCE, ...this.#options.patience };
    if (nowMs - this.#incomplete.sinceMs < (complaint === 'missing' ? missingMs : faultsMs)) return true;
    this.#lasting.add(complaint);
    return false;
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
    const read = await (this.#hasWholeBlocks ? this.#readWhole(number) : this.#readEach(number));
    if (read === undefined) return undefined;
    const { header, list, singleCount } = read;
    return rpc.reading('eth_getBlockReceipts', () => ({
      header,
      block:
        list === null
          ? receipts.readNone(header, clock.nowUs())
          : { ...receipts.read(header, list, clock.nowUs()), singleCount },
    }));
  }

  async #readWhole(number: number): Promise<RawBlock | undefined> {
    const { rpc } = this.#options;
    const params = [toQuantity(number)];
    const [header, list] = await Promise.allSettled([
      rpc.call('eth_getBlockByNumber', [...params, false], headerOrNone),
      rpc.call('eth_getBlockReceipts', params, (result) => result ?? undefined),
    ]);
    if (header.status === 'rejected') throw header.reason;
    if (list.status === 'rejected') {
      if (!this.#isRefused(list.reason)) throw list.reason;
      return this.#readEach(number);
    }
    this.#refusals = 0;
    if (header.value === undefined || list.value === undefined) return undefined;
    return { header: header.value, list: list.value, singleCount: 0 };
  }

  /** Whether the RPC refuses whole blocks, although it answers other requests. */
  #isRefused(error: unknown): boolean {
    if (!(error instanceof RpcFailure)) return false;
    if (!isOfMethod(error) && ++this.#refusals < REFUSALS_MAX) return false;
    if (this.#hasWholeBlocks) this.#options.listener.onFallback(error);
    this.#hasWholeBlocks = false;
    return true;
  }

  /** All receipts of a block with own transactions: only the complete set can be compared with the block. */
  async #readEach(number: number): Promise<RawBlock | undefined> {
    const { rpc, receipts } = this.#options;
    const read = await rpc.call('eth_getBlockByNumber', [toQuantity(number), true], (block) =>
      block === null ? undefined : { header: readHeader(block), isOwn: hasOwn(block, receipts) },
    );
    if (read === undefined) return undefined;
    const { header, isOwn } = read;
    if (!isOwn) return { header, list: null, singleCount: 0 };
    const params = header.txHashes.map((hash) => [hash]);
    const list = await rpc.callMany('eth_getTransactionReceipt', params, (receipt) => receipt);
    return { header, list, singleCount: list.length };
  }
}

interface RawBlock {
  readonly header: ChainBlockHeader;
  /** The list of transactions; null if it was not requested. */
  readonly list: unknown;
  /** Number of receipts that were requested one by one. */
  readonly singleCount: number;
}

/** What may be different when the block is read again. */
type RereadReason = 'missing' | 'malformed' | 'contradiction';

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

function complaintOf({ faults, missing }: BlockReceipts): RereadReason | undefined {
  if (faults.some(({ kind }) => kind !== 'malformed_receipt')) return 'contradiction';
  if (missing > 0) return 'missing';
  return faults.length > 0 ? 'malformed' : undefined;
}
