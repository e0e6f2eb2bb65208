import type { Hashed } from '../correlation/hash-index.ts';
import type { FailureClass } from '../rpc/failure-class.ts';
import type { Sendable } from '../rpc/rpc-connection.ts';
import type { SignedItem } from './signed-transaction.ts';

/** When and for what a transaction was planned. */
export interface Intent {
  /** Counts the edge's planned transactions from 0. */
  readonly tx: number;
  readonly stage: number;
  readonly intendedUs: number;
}

/** How a transaction that was sent ended, as far as is known. */
export type Outcome = 'open' | 'included' | 'rejected' | 'unknown';

/** A transaction from its sending until all is known of it. Times are undefined until they are there. */
export class OpenTransaction implements Hashed<OpenTransaction>, Sendable {
  readonly intent: Intent;
  readonly signed: SignedItem;
  twin: OpenTransaction | undefined;
  outcome: Outcome = 'open';
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
