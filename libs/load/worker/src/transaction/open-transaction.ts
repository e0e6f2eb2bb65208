/** Hot path: signed transactions as views of the pages that came from a thread. */
import type { Hashed } from '../correlation/sent-archive.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { Sendable } from '../rpc/rpc-connection.ts';
import type { Fees, SignedPages, SigningItem } from './signing-order.ts';

const HASH_BYTES = 32;

/** Ready to be sent. */
export interface SignedItem {
  readonly item: SigningItem;
  /** Of the request in `body`. */
  readonly id: number;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
  readonly fees: Fees;
}

/** What one order brought. */
export class SignedBatch {
  readonly items: readonly SigningItem[];
  readonly #pages: SignedPages;
  readonly #firstId: number;
  readonly #fees: Fees;

  constructor(items: readonly SigningItem[], pages: SignedPages, order: { firstId: number; fees: Fees }) {
    this.items = items;
    this.#pages = pages;
    this.#firstId = order.firstId;
    this.#fees = order.fees;
  }

  at(index: number): SignedItem {
    const { bodies, ends, hashes } = this.#pages;
    return {
      item: this.items[index]!,
      id: this.#firstId + index,
      body: bodies.subarray(index === 0 ? 0 : ends[index - 1], ends[index]),
      hash: hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
      fees: this.#fees,
    };
  }
}

/** When and for what a transaction was planned. */
export interface Intent {
  /** Counts the edge's planned transactions from 0. */
  readonly tx: number;
  readonly stage: number;
  readonly intendedUs: number;
}

/** How a transaction that was sent ended, as far as is known. */
export type TransactionOutcome = 'open' | 'included' | 'rejected' | 'unknown';

/** A transaction from its sending until all is known of it. Times are undefined until they are there. */
export class OpenTransaction implements Hashed<OpenTransaction>, Sendable {
  readonly intent: Intent;
  readonly signed: SignedItem;
  twin: OpenTransaction | undefined;
  outcome: TransactionOutcome = 'open';
  /** The latest that went wrong with it. */
  failure: FailureClass | undefined;
  /** What the answer said, if it was an error. */
  answerFailure: FailureClass | undefined;
  /** Its receipt says that the execution failed. */
  isReverted = false;
  /** What stands against it, as `faultsOf` says. */
  faults = 0;
  sentUs: number | undefined;
  answeredUs: number | undefined;
  ackedUs: number | undefined;
  feedUs: number | undefined;
  feedSequence: number | undefined;
  blockNumber: number | undefined;
  /** When its block was read. */
  blockUs: number | undefined;
  /** Its end is open, or the feed has yet to show it. */
  isAwaited = true;
  /** The feed has not shown it in time. */
  isOverdue = false;
  /** And the target had taken it. */
  isMiss = false;
  isRecorded = false;
  /** The user of a closed model that sent it goes on. */
  isReleased = false;

  constructor(intent: Intent, signed: SignedItem) {
    this.intent = intent;
    this.signed = signed;
  }

  get hash(): Uint8Array {
    return this.signed.hash;
  }

  get body(): Uint8Array {
    return this.signed.body;
  }

  get id(): number {
    return this.signed.id;
  }
}
