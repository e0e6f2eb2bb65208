/** Hot path: signed transactions as views of the pages of a signing thread. */
import type { Hashed } from '../correlation/sent-archive.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { Sendable } from '../rpc/rpc-connection.ts';
import type { LaneSlot } from './express-lane-sender.ts';
import type { Fees, SignedPages, SigningItem } from './signing-order.ts';

const HASH_BYTES = 32;

/** Ready to be sent. */
export interface SignedItem {
  readonly item: SigningItem;
  /** Id of the request in `body`. */
  readonly id: number;
  readonly body: Uint8Array;
  readonly hash: Uint8Array;
  readonly fees: Fees;
}

/** The result of an order. */
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

/** A request as it is sent. */
export interface CompleteRequest {
  readonly body: Uint8Array;
  /** When it is sent, by the clock of the machine. */
  readonly nowMs: number;
  /** Of the express lane. */
  readonly slot: LaneSlot | undefined;
}

/** The planned time and purpose of a transaction. */
export interface Intent {
  /** Counts the edge's planned transactions from 0. */
  readonly tx: number;
  readonly stage: number;
  readonly intendedUs: number;
}

/** The known outcome of a sent transaction. */
export type TransactionOutcome = 'open' | 'included' | 'rejected' | 'unknown';

/** An index in a block, with the number of the block's transactions and its hash. */
interface BlockPlace {
  readonly index: number;
  readonly size: number;
  readonly hash: Uint8Array;
}

/** The block that a feed message states, and its metadata. */
interface ShownBlock {
  readonly hash: Uint8Array | null;
  readonly metadata: Uint8Array | null;
}

/** What a receipt states that a synchronous answer has too. */
export interface SyncReceipt {
  readonly blockHash: string;
  readonly isExecuted: boolean;
  readonly gasUsed: string;
}

/** A transaction from its sending to its completion. Times are undefined until they occur. */
export class OpenTransaction implements Hashed<OpenTransaction>, Sendable {
  readonly intent: Intent;
  readonly signed: SignedItem;
  readonly request: CompleteRequest;
  twin: OpenTransaction | undefined;
  outcome: TransactionOutcome = 'open';
  /** Its latest failure. */
  failure: FailureClass | undefined;
  /** The message of the answer, if it was an error. */
  answerFailure: FailureClass | undefined;
  /** Whether the execution failed, by its receipt. */
  isReverted = false;
  /** Its faults, as bits of `faultsOf`. */
  faults = 0;
  sentUs: number | undefined;
  answeredUs: number | undefined;
  ackedUs: number | undefined;
  feedUs: number | undefined;
  feedSequence: number | undefined;
  blockNumber: number | undefined;
  /** Time at which its block was read. */
  blockUs: number | undefined;
  /** Its place in its block. */
  place: BlockPlace | undefined;
  /** Its block, as the feed has it. */
  shownBlock: ShownBlock | undefined;
  /** Whether it came by the express lane, as the feed has it; null if that is not known. */
  isTimeboosted: boolean | null = null;
  /** The receipt in the answer of eth_sendRawTransactionSync. */
  syncReceipt: SyncReceipt | undefined;
  /** The receipt in its block. */
  receipt: SyncReceipt | undefined;
  /** Its outcome is open, or the feed has not contained it yet. */
  isAwaited = true;
  /** The feed has not contained it in time. */
  isOverdue = false;
  /** The target had accepted it, and the feed has not contained it in time. */
  isMiss = false;
  isRecorded = false;
  /** Its user of a closed model was released. */
  isReleased = false;

  constructor(intent: Intent, signed: SignedItem, request: CompleteRequest) {
    this.intent = intent;
    this.signed = signed;
    this.request = request;
  }

  get hash(): Uint8Array {
    return this.signed.hash;
  }

  get body(): Uint8Array {
    return this.request.body;
  }

  get id(): number {
    return this.signed.id;
  }
}
