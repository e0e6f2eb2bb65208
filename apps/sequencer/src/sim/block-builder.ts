/**
 * Takes transactions from the queue until the block is full or the queue is empty:
 *
 *   1. a transaction with a too high nonce is kept until its predecessor arrives;
 *   2. any other that cannot be sequenced is rejected;
 *   3. one that exceeds the block (bytes of the feed message, gas) starts the next block;
 *   4. the rest is executed; a kept successor follows immediately.
 *
 * The senders of sequenced transactions are not answered yet: the feed message is sent first.
 */
import { batchedBytes, L2_MESSAGE_BYTES_MAX } from '#load/chain';
import type { SequencedTransaction } from './block-columns.ts';
import { conditionRefusal } from './conditions.ts';
import type { SimRefusal } from './refusal.ts';
import { BLOCK_GAS_MAX } from './chain-rules.ts';
import type { Execution } from './execution.ts';
import type { NonceFailures } from './nonce-failures.ts';
import type { TransactionFaults } from './transaction-faults.ts';
import type { PendingTransaction, TransactionQueue } from './transaction-queue.ts';

/** The contents of a block. */
export interface BlockDraft {
  readonly sequenced: readonly SequencedTransaction[];
  /** The contents of the feed message. */
  readonly inFeed: readonly Uint8Array[];
  /** Answers the senders; call after the feed message is sent. */
  answer(): void;
}

export class BlockBuilder {
  readonly #queue: TransactionQueue;
  readonly #failures: NonceFailures;
  readonly #execution: Execution;
  readonly #faults: TransactionFaults;

  constructor(
    queue: TransactionQueue,
    failures: NonceFailures,
    execution: Execution,
    faults: TransactionFaults,
  ) {
    this.#queue = queue;
    this.#failures = failures;
    this.#execution = execution;
    this.#faults = faults;
  }

  build(header: DraftHeader, nowMs: number): BlockDraft {
    const faults = this.#faults;
    const queue = this.#queue;
    const draft = new Draft(header, faults.timesInFeedMax);
    for (let item = queue.take(nowMs); item !== undefined; item = queue.take(nowMs)) {
      if (!draft.hasRoomFor(item)) {
        queue.putBack(item);
        break;
      }
      this.#considerInLane(item, draft, nowMs);
    }
    this.#considerHeld(draft, nowMs);
    return draft;
  }

  /** Puts a held transaction of the express lane behind the next one of another sender (a fault). */
  #considerInLane(item: PendingTransaction, draft: Draft, nowMs: number): void {
    const { held } = draft;
    const isLane = item.isTimeboosted === true;
    if (held === undefined && isLane && this.#faults.isHeldBack()) {
      draft.held = item;
      return;
    }
    const isSwapped =
      isLane && held !== undefined && Buffer.compare(held.transaction.sender, item.transaction.sender) !== 0;
    if (held !== undefined && !isSwapped && isLane) this.#considerHeld(draft, nowMs);
    this.#consider(item, draft, nowMs);
    if (held === undefined || !isSwapped) return;
    this.#considerHeld(draft, nowMs);
    this.#faults.reportSwap(held.transaction, draft.header.number);
  }

  #considerHeld(draft: Draft, nowMs: number): void {
    const { held } = draft;
    draft.held = undefined;
    if (held !== undefined) this.#consider(held, draft, nowMs);
  }

  #consider(item: PendingTransaction, draft: Draft, nowMs: number): void {
    const execution = this.#execution;
    const failures = this.#failures;
    const refusal = execution.refusalOf(item.transaction) ?? this.#conditionRefusal(item, draft);
    if (refusal === undefined) this.#sequence(item, draft);
    else if (refusal.isNonceTooHigh) failures.add(item, refusal, nowMs);
    else item.settle(refusal);
  }

  #conditionRefusal({ transaction, conditions }: PendingTransaction, draft: Draft): SimRefusal | undefined {
    const { number, timestamp } = draft.header;
    const refusal = conditions && conditionRefusal(conditions, timestamp);
    return refusal !== undefined && this.#faults.ignoresConditions(transaction, number) ? undefined : refusal;
  }

  #sequence(item: PendingTransaction, draft: Draft): void {
    const execution = this.#execution;
    const failures = this.#failures;
    const faults = this.#faults;
    const queue = this.#queue;
    const { transaction } = item;
    const { number } = draft.header;
    if (faults.isDropped(transaction, number)) {
      draft.answers.push(() => item.settle(undefined));
      return;
    }
    const outcome = execution.apply(transaction, faults.extraGasOf(transaction, number));
    const isBoosted = item.isTimeboosted === true;
    const isTimeboosted = isBoosted !== faults.isMetadataWrong(transaction, number);
    draft.add({ transaction, outcome, isTimeboosted }, faults.timesInFeed(transaction, number));
    faults.disturbSender(transaction, number);
    const lie = faults.lieAbout(transaction, number);
    draft.answers.push(() => item.settle(lie));
    const successor = failures.take(transaction.sender, transaction.nonce + 1);
    if (successor !== undefined) queue.putBack(successor);
  }
}

/** The known parts of the header of the block that is built. */
export interface DraftHeader {
  readonly number: number;
  readonly timestamp: number;
}

class Draft implements BlockDraft {
  readonly header: DraftHeader;
  /** A transaction that is held back (a fault). */
  held: PendingTransaction | undefined;
  readonly sequenced: SequencedTransaction[] = [];
  readonly inFeed: Uint8Array[] = [];
  readonly answers: (() => void)[] = [];
  readonly #timesInFeedMax: number;
  #bytesLeft = L2_MESSAGE_BYTES_MAX - 1;
  #gasLeft = BLOCK_GAS_MAX;

  constructor(header: DraftHeader, timesInFeedMax: number) {
    this.header = header;
    this.#timesInFeedMax = timesInFeedMax;
  }

  /** The first transaction always fits: a single one may exceed the gas limit. */
  hasRoomFor({ transaction: { raw, gasLimit } }: PendingTransaction): boolean {
    if (this.sequenced.length === 0) return true;
    const bytes = this.#timesInFeedMax * batchedBytes(raw);
    return bytes <= this.#bytesLeft && gasLimit <= BigInt(Math.max(0, this.#gasLeft));
  }

  add(sequenced: SequencedTransaction, timesInFeed: number): void {
    const { raw } = sequenced.transaction;
    this.sequenced.push(sequenced);
    for (let times = 0; times < timesInFeed; times++) this.inFeed.push(raw);
    this.#bytesLeft -= timesInFeed * batchedBytes(raw);
    this.#gasLeft -= sequenced.outcome.gasUsed;
  }

  answer(): void {
    for (const answer of this.answers) answer();
  }
}
