/**
 * All planned transactions, and their outcomes.
 *
 *   planned ──► not sent
 *       └─► open ──► included    the feed or a block contains it, with any answer
 *             ├────► rejected    an error by which it was not accepted
 *             └────► unknown     neither, by the end
 *
 * 1. A hash is registered before its bytes are sent: the feed is faster than the answer.
 * 2. A transaction's row is written when answer, feed and receipt are complete. Otherwise it is checked again
 *    after the correlation time-out: if the feed has not contained it by then, it is a miss, provided that
 *    the target had accepted it.
 * 3. It is removed after that time at the earliest; an included one only when its block is too deep for a
 *    reorganisation. Its hash is kept until the end of the run to detect repetitions.
 */
import { toHex } from '#load/chain';
import type { EventBuffer } from '#load/telemetry';
import { Fifo } from '#platform/foundation';
import type { FindingRecorder } from '../correlation/finding-log.ts';
import { HashIndex, SentArchive } from '../correlation/sent-archive.ts';
import type { FeedEvent } from '../feed/feed-event.ts';
import type { CorrelationPlan } from '../plan/edge-plan.ts';
import { type FailureClass, type FailureMeaning, meaningOf } from '../rpc/failure-class.ts';
import type { RpcReply } from '../rpc/rpc-reply.ts';
import type { Intent, OpenTransaction, TransactionOutcome } from '../transaction/open-transaction.ts';
import { BlockLedger, type BlockExecution } from './block-ledger.ts';
import { feedRow, transactionRow, unsentRow } from './event-rows.ts';
import type { Latencies } from './latencies.ts';
import { RevertLog } from './revert-log.ts';
import type { RunFacts } from './run-facts.ts';
import { type LoadCounters, type StageCounts, totalOf, zeroCounts } from './tally.ts';
import { isAcknowledgement, syncReceiptOf, WayChecks } from './way-checks.ts';
import { ErrorLog, FAULTS, faultsOf, UNPLACED_MESSAGES, type UnplacedState } from './transaction-faults.ts';

export interface LedgerOptions {
  readonly facts: RunFacts;
  readonly events: EventBuffer;
  readonly findings: FindingRecorder;
  readonly counters: LoadCounters;
  readonly latencies: Latencies;
  readonly correlation: CorrelationPlan;
}

export type AnswerMeaning = 'accepted' | FailureMeaning;

const HASH_BYTES = 32;
const US_A_MS = 1_000;

export class Ledger {
  readonly stages: readonly StageCounts[];
  readonly errors = new ErrorLog();
  readonly reverts = new RevertLog();
  readonly #options: LedgerOptions;
  readonly blocks: BlockLedger;
  readonly #ways: WayChecks;
  readonly #index = new HashIndex<OpenTransaction>();
  /** Completed transactions: a feed or a block may still repeat them. */
  readonly #archive = new SentArchive();
  /** Watched transactions in the order of sending. */
  readonly #watched = new Fifo<OpenTransaction>();
  /** Transactions beyond the time-out without an outcome or a receipt. */
  #overdue = new Set<OpenTransaction>();
  #open = 0;
  #awaited = 0;
  /** The number of transactions in the feed and in no block yet. */
  #unplaced = 0;

  constructor(options: LedgerOptions) {
    this.#options = options;
    this.stages = options.facts.stages.map(zeroCounts);
    this.#ways = new WayChecks(options.facts, options.findings);
    this.blocks = new BlockLedger({
      ...options,
      ways: this.#ways,
      archive: this.#archive,
      transactions: {
        find: (bytes, at) => this.#index.find(bytes, at),
        included: (open, execution) => this.#inBlock(open, execution),
        withdrawn: (open) => this.#outOfBlock(open),
      },
    });
  }

  /** The number of sent transactions that are neither included nor rejected. */
  get openCount(): number {
    return this.#open;
  }

  /** The number of sent, not rejected transactions that are neither completely seen nor overdue. */
  get awaitedCount(): number {
    return this.#awaited;
  }

  /** The number of sent, not rejected transactions in no block. */
  get unplacedCount(): number {
    return this.#open + this.#unplaced;
  }

  /** The sent, not rejected transactions in no block. */
  get unplaced(): readonly OpenTransaction[] {
    const waiting = [...this.#overdue, ...this.#watched.entries()];
    return waiting.filter(({ blockNumber, outcome }) => blockNumber === undefined && outcome !== 'rejected');
  }

  /** Whether feed and blocks contain the same sent transactions; always true without a feed. */
  get isInStep(): boolean {
    if (!this.#hasFeed) return true;
    if (this.#unplaced > 0) return false;
    const all = [...this.#overdue, ...this.#watched.entries()];
    return all.every(({ blockNumber, feedUs }) => blockNumber === undefined || feedUs !== undefined);
  }

  /** Whether the run has sent the transaction. */
  hasSent(hash: Uint8Array): boolean {
    return this.#index.find(hash) !== undefined || this.#archive.find(hash) !== undefined;
  }

  notSent(intent: Intent, why: string): void {
    const counts = this.#countsOf(intent);
    counts.planned++;
    counts.notSent++;
    this.#options.events.record(
      'transactions',
      unsentRow(intent, why, this.#options.facts.unsentContext(intent)),
    );
  }

  /** Call before the first byte is sent. */
  register(open: OpenTransaction, nowUs: number): void {
    const counts = this.#countsOf(open.intent);
    counts.planned++;
    counts.sent++;
    this.#open++;
    this.#awaited++;
    open.sentUs = nowUs;
    this.#index.add(open);
    this.#watched.push(open);
  }

  started(open: OpenTransaction, nowUs: number): void {
    const { stage, intendedUs } = open.intent;
    open.sentUs = nowUs;
    this.#options.latencies.record(stage, 'send_delay', nowUs - intendedUs);
  }

  answered(open: OpenTransaction, reply: RpcReply, nowUs: number): AnswerMeaning {
    open.answeredUs = nowUs;
    const meaning = reply.isFine
      ? this.#acknowledged(open, reply.result, nowUs)
      : this.#failed(open, reply.failure, reply);
    this.#weigh(open);
    this.#recordIfComplete(open);
    return meaning;
  }

  /**
   * Returns the transactions that are new in the feed. The block number is null if unknown. A long message
   * may be passed in parts, by ranges of its transactions, in order from 0.
   */
  feed(event: FeedEvent, blockNumber: number | null, from = 0, to = Infinity): readonly OpenTransaction[] {
    const { events } = this.#options;
    if (from === 0) events.record('feed', feedRow(event, blockNumber));
    const found: OpenTransaction[] = [];
    const end = Math.min(to, event.hashes.length / HASH_BYTES);
    for (let index = from; index < end; index++) {
      const at = index * HASH_BYTES;
      const open = this.#index.find(event.hashes, at);
      const sent = open?.signed.item ?? this.#archive.find(event.hashes, at);
      if (sent === undefined) continue;
      const account = this.#options.facts.accountOf(sent.position);
      const hash = event.hashes.subarray(at, at + HASH_BYTES);
      events.record('feed', feedRow(event, blockNumber, { account, hash, nonce: sent.nonce, index }));
      if (open !== undefined) this.#ways.shown(open, event);
      if (open === undefined || open.feedUs !== undefined) continue;
      this.#shown(open, event);
      found.push(open);
    }
    return found;
  }

  /** Checks and returns the transactions that are older than the time-out of the feed. */
  sweep(nowUs: number): readonly OpenTransaction[] {
    const deadlineUs = nowUs - this.#options.correlation.timeoutMs * US_A_MS;
    const due: OpenTransaction[] = [];
    for (let open = this.#watched.first; open !== undefined; open = this.#watched.first) {
      if ((open.sentUs ?? 0) > deadlineUs) break;
      this.#watched.shift();
      this.#judge(open);
      due.push(open);
    }
    for (const open of this.#overdue) if (this.#isDone(open)) this.#forget(open);
    return due;
  }

  /**
   * Ends the run: transactions in no block are unknown, even if the feed contained them. Writes all missing
   * rows. A transaction younger than the time-out is no miss.
   */
  close(nowUs: number, states: ReadonlyMap<OpenTransaction, UnplacedState> = new Map()): void {
    this.sweep(nowUs);
    for (let open = this.#watched.shift(); open !== undefined; open = this.#watched.shift())
      this.#overdue.add(open);
    for (const open of this.#overdue) {
      const isPlaced = open.blockNumber !== undefined || open.outcome === 'rejected';
      if (!isPlaced) this.#loseTrack(open, states.get(open) ?? 'undecided');
      this.#record(open);
      this.#index.remove(open);
    }
    this.#overdue = new Set();
  }

  get total(): StageCounts {
    return totalOf(this.stages);
  }

  /** The tally of the measured stages. */
  get measured(): StageCounts {
    return totalOf(this.stages.filter((_, stage) => this.#options.facts.stages[stage]?.exclude !== true));
  }

  #acknowledged(open: OpenTransaction, result: unknown, nowUs: number): AnswerMeaning {
    const { way } = this.#options.facts.contextOf(open).blueprint.sending;
    if (!isAcknowledgement(way, result, toHex(open.hash))) {
      const message = 'expected the hash of what was sent, got another result';
      return this.#failed(open, 'hash_mismatch', { code: null, message });
    }
    if (way === 'sync') this.#ways.answered(open, syncReceiptOf(result));
    open.ackedUs = nowUs;
    this.#countMiss(open);
    this.#countsOf(open.intent).acked++;
    this.#options.latencies.record(open.intent.stage, 'send_ack', nowUs - (open.sentUs ?? nowUs));
    // What the express lane takes does not use its nonce yet.
    return way === 'express_lane' ? 'unknown' : 'accepted';
  }

  #failed(
    open: OpenTransaction,
    failure: FailureClass,
    { code, message }: { readonly code: number | null; readonly message: string },
  ): AnswerMeaning {
    const meaning = meaningOf(failure);
    open.answerFailure = failure;
    this.#countFailure(open, failure, { code, message });
    if (meaning !== 'unknown' && open.outcome === 'open') {
      this.#end(open, 'rejected');
      this.#stopAwaiting(open);
    }
    return meaning;
  }

  #countFailure(
    open: OpenTransaction,
    failure: FailureClass,
    { code, message }: { readonly code: number | null; readonly message: string },
  ): void {
    const isExpected = this.#options.facts.contextOf(open).blueprint.expect === failure;
    open.failure = failure;
    this.#options.counters.countFailure(failure, isExpected);
    this.errors.add({ failure, isExpected, code, message, hash: open.hash });
  }

  #shown(open: OpenTransaction, { receivedUs, sequenceNumber }: FeedEvent): void {
    const { latencies } = this.#options;
    const { stage, intendedUs } = open.intent;
    open.feedUs = receivedUs;
    open.feedSequence = sequenceNumber;
    if (open.blockNumber === undefined) this.#unplaced++;
    latencies.record(stage, 'send_feed', receivedUs - (open.sentUs ?? receivedUs));
    latencies.record(stage, 'intended_feed', receivedUs - intendedUs);
    this.#included(open);
  }

  #inBlock(open: OpenTransaction, { blockNumber, readUs, isExecuted }: BlockExecution): void {
    const { stage, intendedUs } = open.intent;
    if (open.blockUs === undefined) {
      const { latencies } = this.#options;
      latencies.record(stage, 'send_block', readUs - (open.sentUs ?? readUs));
      latencies.record(stage, 'intended_block', readUs - intendedUs);
    }
    if (open.outcome === 'included') this.#unplaced--;
    open.blockNumber = blockNumber;
    open.blockUs = readUs;
    this.#countMiss(open);
    if (!isExecuted && !open.isReverted) {
      open.isReverted = true;
      this.reverts.add(open, blockNumber);
      this.#countFailure(open, 'reverted', { code: null, message: 'status 0 in its receipt' });
    }
    this.#included(open);
  }

  /** A reorganisation has removed the transaction's block. */
  #outOfBlock(open: OpenTransaction): void {
    if (open.isReverted) this.reverts.takeBack(open);
    open.blockNumber = undefined;
    open.isReverted = false;
    if (open.feedUs !== undefined) this.#unplaced++;
    else this.#end(open, 'open');
    this.#weigh(open);
    this.#overdue.add(open);
  }

  #included(open: OpenTransaction): void {
    this.#end(open, 'included');
    this.#weigh(open);
    if (this.#isSeen(open)) this.#stopAwaiting(open);
    this.#recordIfComplete(open);
  }

  /** An inclusion overrides an answer. */
  #end(open: OpenTransaction, outcome: TransactionOutcome): void {
    const counts = this.#countsOf(open.intent);
    if (open.outcome === outcome) return;
    if (open.outcome === 'open') this.#open--;
    else counts[open.outcome]--;
    open.outcome = outcome;
    if (outcome === 'open') this.#open++;
    else counts[outcome]++;
  }

  /** Replaces the counted faults of the transaction by its current ones. */
  #weigh(open: OpenTransaction): void {
    const faults = faultsOf(open, this.#options.facts.contextOf(open).blueprint.expect);
    if (faults === open.faults) return;
    const counts = this.#countsOf(open.intent);
    for (const [bit, fault] of FAULTS.entries()) {
      counts[fault] += ((faults >> bit) & 1) - ((open.faults >> bit) & 1);
    }
    open.faults = faults;
  }

  #stopAwaiting(open: OpenTransaction): void {
    if (!open.isAwaited) return;
    open.isAwaited = false;
    this.#awaited--;
  }

  get #hasFeed(): boolean {
    return this.#options.correlation.feed === 'per_edge';
  }

  /** Completely seen: in the feed, or without a feed in a block. */
  #isSeen(open: OpenTransaction): boolean {
    return this.#hasFeed ? open.feedUs !== undefined : open.blockNumber !== undefined;
  }

  #judge(open: OpenTransaction): void {
    if (this.#hasFeed && open.feedUs === undefined && open.outcome !== 'rejected') {
      open.isOverdue = true;
      this.#countMiss(open);
    }
    this.#stopAwaiting(open);
    if (this.#isDone(open)) this.#forget(open);
    else this.#overdue.add(open);
  }

  /** Accepted: acknowledged or in a block, which may be found after the time-out. */
  #countMiss(open: OpenTransaction): void {
    const isTaken = open.ackedUs !== undefined || open.blockNumber !== undefined;
    if (!open.isOverdue || !isTaken || open.isMiss || open.feedUs !== undefined) return;
    open.isMiss = true;
    this.#options.counters.correlationMisses++;
    this.#countsOf(open.intent).misses++;
  }

  /** Whether no further events of the transaction are expected. */
  #isDone(open: OpenTransaction): boolean {
    if (open.answeredUs === undefined) return false;
    return open.outcome === 'rejected' || (open.blockNumber ?? Infinity) <= this.blocks.settledBlock;
  }

  #forget(open: OpenTransaction): void {
    this.#record(open);
    this.#index.remove(open);
    this.#archive.add(open.hash, open.signed.item);
    this.#overdue.delete(open);
  }

  #loseTrack(open: OpenTransaction, state: UnplacedState | 'undecided'): void {
    this.#end(open, 'unknown');
    const isTaken = open.ackedUs !== undefined || open.feedUs !== undefined;
    if (isTaken) this.#countFailure(open, state, { code: null, message: UNPLACED_MESSAGES[state] });
    this.#weigh(open);
  }

  #recordIfComplete(open: OpenTransaction): void {
    const hasReceipt = open.blockNumber !== undefined;
    if (open.answeredUs !== undefined && hasReceipt && this.#isSeen(open)) this.#record(open);
  }

  #record(open: OpenTransaction): void {
    if (open.isRecorded) return;
    open.isRecorded = true;
    this.#options.events.record('transactions', transactionRow(open, this.#options.facts.contextOf(open)));
  }

  #countsOf({ stage }: Intent): StageCounts {
    return this.stages[stage] ?? zeroCounts();
  }
}
