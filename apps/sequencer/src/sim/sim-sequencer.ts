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
import { BlockColumns } from './block-columns.ts';
import { BlockStore } from './block-store.ts';
import { Block } from './block.ts';
import { TRANSACTION_BYTES_MAX } from './chain-rules.ts';
import { Execution } from './execution.ts';
import { NonceFailures } from './nonce-failures.ts';
import { parentBlockNumber } from './parent-chain.ts';
import { chainIdRefusal, type SimRefusal, REFUSALS } from './refusal.ts';
import { TokenLedger } from './token.ts';
import { TransactionFaults } from './transaction-faults.ts';
import { TransactionQueue } from './transaction-queue.ts';
import { WorldState } from './world-state.ts';

export interface SimOptions {
  readonly chainId: number;
  readonly blockMs: number;
  readonly feed: FaultyFeed;
  readonly faults: FaultInjector;
  readonly clock?: Clock;
  readonly queue?: { readonly places: number; readonly timeoutMs: number };
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
    isAbandoned: () => boolean,
    settle: (refusal: SimRefusal | undefined, transaction?: DecodedTransaction) => void,
  ): void {
    const decoded = this.#decode(raw);
    if ('message' in decoded) {
      settle(decoded);
      return;
    }
    const arrivedMs = this.#clock.monotonicMs();
    this.#queue.push({
      transaction: decoded,
      arrivedMs,
      isAbandoned,
      settle: (refusal) => settle(refusal, decoded),
    });
    this.#wakeAt(Math.min(this.#nextBlockMs, arrivedMs + this.#queue.limits.timeoutMs));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  /** The checks of Nitro before the queue. */
  #decode(raw: Uint8Array): DecodedTransaction | SimRefusal {
    if (raw.length > TRANSACTION_BYTES_MAX) return REFUSALS.oversized;
    try {
      const transaction = decodeTransaction(raw);
      if (transaction.type === 4) return REFUSALS.type;
      if (transaction.chainId === null) return REFUSALS.unprotected;
      const chainId = BigInt(this.chainId);
      if (transaction.chainId !== chainId) return chainIdRefusal(transaction.chainId, chainId);
      const refusal = this.#execution.refusalOf(transaction);
      return refusal === undefined || refusal.isNonceTooHigh ? transaction : refusal;
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return { message: `rlp: ${error.message}` };
    }
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
    const draft = this.#builder.build(this.blocks.latest.header.number + 1, nowMs);
    if (draft.sequenced.length > 0) {
      this.#publish(draft);
      this.#nextBlockMs = nowMs + this.#options.blockMs;
    }
    draft.answer();
  }

  #publish({ sequenced, inFeed }: BlockDraft): void {
    const { faults, feed } = this.#options;
    const block = this.#append(new BlockColumns(sequenced));
    const l2Msg = encodeL2Message(inFeed);
    feed.publish(messageOf(block, l2Msg));
    const { number } = block.header;
    if (faults.isDue('reorg_every')) {
      const other = block.at(block.header.timestamp + 1);
      this.blocks.replaceLatest(other);
      feed.replaceLatest(messageOf(other, l2Msg));
      faults.report('reorg_every', { sequence_number: number });
    }
    if (faults.isDue('gap_feed_every')) {
      this.#append(new BlockColumns([]));
      faults.report('gap_feed_every', { sequence_number: number + 1 });
    }
  }

  #append(transactions: BlockColumns): Block {
    const { header, hash: parentHash } = this.blocks.latest;
    const number = header.number + 1;
    const timestamp = Math.max(header.timestamp, this.#nowSeconds());
    const block = new Block({ number, timestamp, parentHash }, transactions);
    this.blocks.append(block);
    this.state.commit(number, this.blocks.firstKept);
    return block;
  }

  #nowSeconds(): number {
    return Math.floor(this.#clock.nowMs() / 1_000);
  }
}

function messageOf({ header: { number, timestamp }, hash }: Block, l2Msg: Uint8Array): FeedMessage {
  return {
    sequenceNumber: number,
    kind: L2_MESSAGE_KIND,
    timestamp,
    parentBlockNumber: parentBlockNumber(timestamp),
    l2Msg,
    blockHash: toHex(hash),
  };
}
