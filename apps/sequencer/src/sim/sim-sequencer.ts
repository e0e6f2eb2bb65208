/**
 * A sequencer with the behaviour of Nitro in one process: the sender of a transaction waits until it is
 * sequenced; a block is built as soon as a transaction waits, but at least the block time after the last one;
 * its feed message is sent before the senders are answered. Message n of the feed is block n.
 */
import {
  type DecodedTransaction,
  decodeTransaction,
  encodeL2Message,
  type FeedMessage,
  fromHex,
  L2_MESSAGE_KIND,
  toHex,
} from '#load/chain';
import { type Clock, DomainError, systemClock } from '#platform/foundation';
import type { FaultInjector } from '../fault-plan.ts';
import type { FaultyFeed } from '../feed/faulty-feed.ts';
import { BlockBuilder, type BlockDraft } from './block-builder.ts';
import { BlockColumns, type BlockEntry } from './block-columns.ts';
import { BlockStore } from './block-store.ts';
import { Block } from './block.ts';
import { TRANSACTION_BYTES_MAX } from './chain-rules.ts';
import { type Conditions, conditionRefusal } from './conditions.ts';
import { ExpressLane, type ExpressLaneRules, type LaneContext, type LaneRequest } from './express-lane.ts';
import { Execution } from './execution.ts';
import { NonceFailures } from './nonce-failures.ts';
import { parentBlockNumber } from './parent-chain.ts';
import { chainIdRefusal, type SimRefusal, REFUSALS } from './refusal.ts';
import { TokenLedger } from './token.ts';
import { TransactionFaults } from './transaction-faults.ts';
import { type PendingTransaction, TransactionQueue } from './transaction-queue.ts';
import { WorldState } from './world-state.ts';

export interface SimOptions {
  readonly chainId: number;
  readonly blockMs: number;
  readonly feed: FaultyFeed;
  readonly faults: FaultInjector;
  readonly clock?: Clock;
  /** Without it there is no express lane. */
  readonly timeboost?: ExpressLaneRules | undefined;
  readonly queue?: { readonly places: number; readonly timeoutMs: number };
}

/** Who waits for a transaction, and what must hold in its block. */
interface Submission {
  readonly isAbandoned: () => boolean;
  readonly conditions?: Conditions | undefined;
}

/** Anvil's first development account, and its balance. */
const RICH_ACCOUNT = fromHex('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266');
const RICH_WEI = 10n ** 24n;

const QUEUE = { places: 1_024, timeoutMs: 12_000 };
const NONCE_FAILURES = { count: 1_024, expiryMs: 1_000 };
/** Number of transactions whose blocks are kept. */
const TRANSACTIONS_KEPT_MAX = 1_000_000;

export class SimSequencer {
  readonly chainId: number;
  readonly blocks: BlockStore;
  readonly state = new WorldState();
  readonly tokens = new TokenLedger();
  readonly #options: SimOptions;
  readonly #clock: Clock;
  readonly #queue: TransactionQueue;
  readonly #failures = new NonceFailures(NONCE_FAILURES);
  readonly #execution = new Execution(this.state, this.tokens);
  readonly #builder: BlockBuilder;
  readonly expressLane: ExpressLane | undefined;
  /** Transactions that wait for the advantage of the express lane, and submissions for their round. */
  readonly #delays = new Set<NodeJS.Timeout>();
  #nextBlockMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Infinity;

  constructor(options: SimOptions) {
    this.#options = options;
    this.chainId = options.chainId;
    this.#clock = options.clock ?? systemClock;
    this.#queue = new TransactionQueue(options.queue ?? QUEUE);
    this.#builder = new BlockBuilder(
      this.#queue,
      this.#failures,
      this.#execution,
      new TransactionFaults(options.faults, this.state),
    );
    const { timeboost } = options;
    this.expressLane = timeboost && new ExpressLane(timeboost, this.#laneContext());
    this.blocks = new BlockStore(Block.genesis(this.#nowSeconds()), TRANSACTIONS_KEPT_MAX);
    this.state.touch(RICH_ACCOUNT).balance = RICH_WEI;
    this.state.commit(0, 0);
  }

  /**
   * Sequences a signed transaction. `settle` is called once: with the reason of a rejection, or with
   * undefined after its feed message is sent.
   */
  submit(
    raw: Uint8Array,
    { isAbandoned, conditions }: Submission,
    settle: (refusal: SimRefusal | undefined, transaction?: DecodedTransaction) => void,
  ): void {
    const transaction = this.#decode(raw, conditions);
    if ('message' in transaction) {
      settle(transaction);
      return;
    }
    const item = {
      transaction,
      conditions,
      isAbandoned,
      settle: (refusal?: SimRefusal) => settle(refusal, transaction),
    };
    const delayMs = this.expressLane?.rules.advantageMs ?? 0;
    if (delayMs === 0) this.#enqueue(item);
    else this.#after(delayMs, () => this.#enqueue(item));
  }

  /** Hands a transaction to the express lane. `settle` is called once it has taken or refused it. */
  submitToLane(request: LaneRequest, settle: (refusal: SimRefusal | undefined) => void): void {
    const { expressLane: lane } = this;
    if (lane === undefined) {
      settle(REFUSALS.noTimeboost);
      return;
    }
    const transaction = this.#decode(request.raw, request.conditions);
    const refusal = 'message' in transaction ? transaction : lane.refusalOf(request);
    if (typeof refusal !== 'number') settle(refusal ?? lane.take(request));
    else this.#after(refusal, () => this.submitToLane(request, settle));
  }

  /** The receipt of a sequenced transaction in a synchronous answer. */
  syncReceipt(hash: Uint8Array, textOf: (block: Block, entry: BlockEntry) => string): string {
    const place = this.blocks.transaction(hash);
    if (place === undefined) return 'null';
    const { block, entry } = place;
    const { faults } = this.#options;
    if (!faults.isDue('sync_receipt_wrong_every')) return textOf(block, entry);
    faults.report('sync_receipt_wrong_every', { hash: toHex(hash), block_number: block.header.number });
    return textOf(block, { ...entry, isSuccess: !entry.isSuccess });
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const delay of this.#delays) clearTimeout(delay);
  }

  #laneContext(): LaneContext {
    return {
      chainId: this.chainId,
      nowMs: () => this.#clock.nowMs(),
      queue: ({ raw, conditions }, leftMs) => {
        const expiresMs = this.#clock.monotonicMs() + leftMs;
        const waits = { isAbandoned: () => false, settle: () => undefined, isTimeboosted: true, expiresMs };
        this.#enqueue({ transaction: decodeTransaction(raw), conditions, ...waits });
      },
    };
  }

  #enqueue(item: Omit<PendingTransaction, 'arrivedMs'>): void {
    const arrivedMs = this.#clock.monotonicMs();
    this.#queue.push({ ...item, arrivedMs });
    this.#wakeAt(Math.min(this.#nextBlockMs, arrivedMs + this.#queue.limits.timeoutMs));
  }

  /** Timers of one length fire in the order in which they were set. */
  #after(ms: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.#delays.delete(timer);
      action();
    }, ms);
    this.#delays.add(timer);
  }

  /** The checks of Nitro before the queue. */
  #decode(raw: Uint8Array, conditions: Conditions | undefined): DecodedTransaction | SimRefusal {
    if (raw.length > TRANSACTION_BYTES_MAX) return REFUSALS.oversized;
    try {
      const transaction = decodeTransaction(raw);
      if (transaction.type === 4) return REFUSALS.type;
      if (transaction.chainId === null) return REFUSALS.unprotected;
      const chainId = BigInt(this.chainId);
      if (transaction.chainId !== chainId) return chainIdRefusal(transaction.chainId, chainId);
      const { timestamp } = this.blocks.latest.header;
      const refusal =
        (conditions && this.#earlyRefusal(conditions, timestamp)) ?? this.#execution.refusalOf(transaction);
      return refusal === undefined || refusal.isNonceTooHigh ? transaction : refusal;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { message: `rlp: ${error.message}` };
    }
  }

  #earlyRefusal(conditions: Conditions, timestamp: number): SimRefusal | undefined {
    const isIgnored = this.#options.faults.valueOf('ignore_conditions_every') !== undefined;
    return isIgnored ? undefined : conditionRefusal(conditions, timestamp);
  }

  #wakeAt(dueMs: number): void {
    if (this.#timerMs <= dueMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = dueMs;
    this.#timer = setTimeout(() => this.#wake(), Math.max(0, dueMs - this.#clock.monotonicMs()));
  }

  #wake(): void {
    this.#timerMs = Infinity;
    const nowMs = this.#clock.monotonicMs();
    this.#failures.expire(nowMs);
    if (this.#queue.length > 0 && nowMs >= this.#nextBlockMs) this.#makeBlock(nowMs);
    const lateMs = this.#queue.refuseLate(nowMs) ?? Infinity;
    const blockMs = this.#queue.length > 0 ? this.#nextBlockMs : Infinity;
    const dueMs = Math.min(lateMs, blockMs, this.#failures.nextExpiryMs ?? Infinity);
    if (dueMs < Infinity) this.#wakeAt(dueMs);
  }

  #makeBlock(nowMs: number): void {
    const { number, timestamp: before } = this.blocks.latest.header;
    const header = { number: number + 1, timestamp: Math.max(before, this.#nowSeconds()) };
    const draft = this.#builder.build(header, nowMs);
    if (draft.sequenced.length > 0) {
      this.#publish(draft, header.timestamp);
      this.#nextBlockMs = nowMs + this.#options.blockMs;
    }
    draft.answer();
  }

  #publish({ sequenced, inFeed }: BlockDraft, timestamp: number): void {
    const { faults, feed, timeboost } = this.#options;
    const block = this.#append(new BlockColumns(sequenced), timestamp);
    const message = { l2Msg: encodeL2Message(inFeed), hasMetadata: timeboost !== undefined };
    feed.publish(messageOf(block, message));
    const { number } = block.header;
    if (faults.isDue('reorg_every')) {
      const other = block.at(block.header.timestamp + 1);
      this.blocks.replaceLatest(other);
      feed.replaceLatest(messageOf(other, message));
      faults.report('reorg_every', { sequence_number: number });
    }
    if (faults.isDue('gap_feed_every')) {
      this.#append(new BlockColumns([]), timestamp);
      faults.report('gap_feed_every', { sequence_number: number + 1 });
    }
  }

  #append(transactions: BlockColumns, earliest: number): Block {
    const { header, hash: parentHash } = this.blocks.latest;
    const number = header.number + 1;
    const timestamp = Math.max(header.timestamp, earliest);
    const block = new Block({ number, timestamp, parentHash }, transactions);
    this.blocks.append(block);
    this.state.commit(number, this.blocks.firstKept);
    return block;
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1_000);
  }
}

function messageOf(
  { header: { number, timestamp }, hash, transactions }: Block,
  { l2Msg, hasMetadata }: { readonly l2Msg: Uint8Array; readonly hasMetadata: boolean },
): FeedMessage {
  return {
    sequenceNumber: number,
    kind: L2_MESSAGE_KIND,
    timestamp,
    parentBlockNumber: parentBlockNumber(timestamp),
    l2Msg,
    blockHash: toHex(hash),
    ...(hasMetadata && { blockMetadata: transactions.metadata }),
  };
}
