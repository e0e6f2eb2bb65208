import type { FeedAudit } from '../correlation/feed-audit.ts';
import type { AccountScheduler } from '../drive/account-scheduler.ts';
import type { LoadDriver } from '../drive/load-driver.ts';
import type { FeedEvent, FeedListener } from '../feed/feed-event.ts';
import type { AnswerMeaning, Ledger } from '../ledger/ledger.ts';
import type { SendListener } from '../rpc/rpc-connection.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import type { BlockReceipts } from '../settlement/block-receipts.ts';
import type { BlockEvents } from '../settlement/reader-thread.ts';
import type { ExpressLaneSender } from '../transaction/express-lane-sender.ts';
import type { OpenTransaction } from '../transaction/open-transaction.ts';
import type { NonceRecovery } from './nonce-recovery.ts';
import type { RunContext } from './run-context.ts';
import { type SlicedTask, SlicedWork } from './sliced-work.ts';

/** What the feed reports to a load. */
export type FeedPort = Pick<FeedListener, 'onMessages' | 'onConfirmedAhead'>;
/** What the reader of blocks reports. */
export type BlockPort = BlockEvents;
/** What the connections report of the transactions they send. */
export type ReplyPort = SendListener<OpenTransaction>;

export interface LoadEngineOptions {
  readonly context: RunContext;
  readonly ledger: Ledger;
  readonly feedAudit: FeedAudit;
  readonly scheduler: AccountScheduler;
  readonly recovery: NonceRecovery;
  readonly driver: LoadDriver;
  readonly expressLane: ExpressLaneSender | undefined;
}

const HASH_BYTES = 32;

/** Routes the events of feed, blocks and replies to those that record them, and to those that send on. */
export class LoadEngine implements FeedPort, BlockPort, ReplyPort {
  readonly #context: RunContext;
  readonly #ledger: Ledger;
  readonly #feedAudit: FeedAudit;
  readonly #scheduler: AccountScheduler;
  readonly #recovery: NonceRecovery;
  readonly #driver: LoadDriver;
  readonly #expressLane: ExpressLaneSender | undefined;
  readonly #hasFeed: boolean;
  readonly #work = new SlicedWork();
  #isListening = true;

  constructor(options: LoadEngineOptions) {
    const { context, ledger, feedAudit, scheduler, recovery, driver } = options;
    this.#expressLane = options.expressLane;
    this.#context = context;
    this.#ledger = ledger;
    this.#feedAudit = feedAudit;
    this.#scheduler = scheduler;
    this.#recovery = recovery;
    this.#driver = driver;
    this.#hasFeed = context.target.plan.correlation.feed === 'per_edge';
  }

  onMessages(events: readonly FeedEvent[]): void {
    if (!this.#isListening) return;
    for (const event of events) this.#take(event.hashes.length / HASH_BYTES, this.#readingOf(event));
  }

  onConfirmedAhead(confirmed: number, last: number): void {
    this.#feedAudit.confirmedAhead(confirmed, last);
  }

  onBlock(block: BlockReceipts): void {
    this.#take(block.positions.length, this.#applyingOf(block));
  }

  onReplaced(blockNumber: number): void {
    this.#take(0, () => {
      this.#context.log.warn({ event: 'load.block_replaced', block: blockNumber }, 'block replaced');
      this.#feedAudit.replaced(blockNumber);
      this.#ledger.blocks.replaced(blockNumber);
    });
  }

  onDeep(blockNumber: number): void {
    this.#take(0, () => this.#ledger.blocks.deep(blockNumber));
  }

  onUnread(blockNumber: number, message: string): void {
    this.#take(0, () => this.#ledger.blocks.unread(blockNumber, message));
  }

  onFallback(reason: string): void {
    this.#ledger.blocks.readSingly(reason);
    const fields = { event: 'load.method_missing', reason };
    this.#context.log.warn(fields, 'RPC method missing, reading single receipts');
  }

  onTrouble(message: string): void {
    this.#context.log.warn({ event: 'load.block_unread', reason: message }, 'block unreadable, retrying');
  }

  onStart(open: OpenTransaction): void {
    this.#ledger.started(open, this.#context.clock.nowUs());
  }

  onReply(open: OpenTransaction, reply: RpcReply): void {
    const { position } = open.signed.item;
    if (open.request.slot !== undefined) this.#expressLane?.answered(open.request.slot, reply);
    const meaning = this.#ledger.answered(open, reply, this.#context.clock.nowUs());
    if (open.signed.item.usesNonce) this.#updateLine(open, meaning);
    this.#scheduler.answered(position);
    this.#release(open);
    this.#driver.answered();
  }

  /** Processes all queued events of feed and chain; later events are processed at once. */
  catchUp(): void {
    this.#work.finish();
  }

  /** Closed model: releases users whose transactions are overdue in the feed. */
  sweep(): void {
    for (const open of this.#ledger.sweep(this.#context.clock.nowUs())) this.#release(open);
  }

  /** Ignores further messages of the feed; those queued are processed. */
  stopListening(): void {
    this.catchUp();
    this.#isListening = false;
  }

  #updateLine(open: OpenTransaction, meaning: AnswerMeaning): void {
    const { position, nonce } = open.signed.item;
    const line = this.#scheduler.lineOf(position);
    if (open.outcome === 'included') line.included(nonce);
    else if (meaning === 'accepted') line.accepted(nonce);
    else if (meaning === 'refused') line.rejected(nonce);
    else if (meaning === 'unknown') line.doubted(nonce);
    else line.contradicted(nonce, meaning);
    this.#recovery.watch(position, performance.now());
  }

  #included(open: OpenTransaction): void {
    const { position, nonce, usesNonce } = open.signed.item;
    if (usesNonce) this.#scheduler.lineOf(position).included(nonce);
    this.#scheduler.lineChanged(position);
    this.#release(open);
    this.#driver.pump();
  }

  /** Closed model: releases the transaction's user, once. */
  #release(open: OpenTransaction): void {
    const isSeen =
      open.feedUs !== undefined || !this.#hasFeed || open.outcome === 'rejected' || open.isOverdue;
    if (open.answeredUs === undefined || !isSeen || open.isReleased) return;
    open.isReleased = true;
    this.#driver.released();
  }

  /** Runs tasks in order of arrival, in slices while there are transactions to send. */
  #take(length: number, run: SlicedTask['run']): void {
    this.#work.add({ length, run });
    if (!this.#driver.isRunning) this.catchUp();
  }

  #readingOf(event: FeedEvent): SlicedTask['run'] {
    let blockNumber: number | null = null;
    return (from, to) => {
      if (from === 0) {
        this.#feedAudit.message(event);
        blockNumber = this.#feedAudit.blockOf(event.sequenceNumber);
      }
      for (const open of this.#ledger.feed(event, blockNumber, from, to)) this.#included(open);
    };
  }

  #applyingOf(block: BlockReceipts): SlicedTask['run'] {
    const { blocks } = this.#ledger;
    let before = 0;
    return (from, to) => {
      if (from === 0) {
        before = blocks.foreignCount;
        this.#feedAudit.block(block);
      }
      for (const open of blocks.apply(block, from, to)) this.#included(open);
      if (to === block.positions.length) this.#warnOfForeign(block, blocks.foreignCount - before);
    };
  }

  #warnOfForeign({ blockNumber }: BlockReceipts, count: number): void {
    if (count === 0) return;
    const fields = { event: 'load.foreign', block: blockNumber, count };
    this.#context.log.warn(fields, 'transactions of other senders found in our accounts');
  }
}
