import type { DecodedTransaction } from '#load/chain';
import type { Refusal } from './refusal.ts';

/** A transaction whose sender waits for what becomes of it. */
export interface PendingTransaction {
  readonly transaction: DecodedTransaction;
  /** Of the monotonic clock. */
  readonly arrivedMs: number;
  /** Whether the sender has hung up: then it is not sequenced, as in Nitro. */
  isAbandoned(): boolean;
  /** Ends the waiting: undefined when it is sequenced. To be called once. */
  settle(refusal: Refusal | undefined): void;
}
