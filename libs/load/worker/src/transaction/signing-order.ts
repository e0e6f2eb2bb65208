import type { AccountSecret } from '../plan/account-keys.ts';
import type { Blueprint } from './blueprint.ts';

/** The worker data of a signing thread. It derives the keys itself; none is ever posted. */
export interface SignerSetup {
  readonly accounts: AccountSecret;
  readonly firstAccount: number;
  /** Addresses of the partition, in shared memory. */
  readonly addresses: Uint8Array;
  readonly chainId: number;
}

/** Fees in wei per unit of gas. */
export interface Fees {
  readonly maxFee: bigint;
  readonly priorityFee: bigint;
}

/** One transaction to sign. */
export interface SigningItem {
  /** Position of the account in the partition. */
  readonly position: number;
  readonly nonce: number;
  /** False: the transaction is meant to be rejected, and does not use the account's nonce line. */
  readonly usesNonce: boolean;
  /** The account's nonce when this is sent. */
  readonly before: number;
  /** Entry of the mix. */
  readonly entry: number;
  /** Added to the gas limit, so that two transactions of one nonce differ. */
  readonly variant: number;
}

/** The data of many items in columns: posting objects would cost more than signing. */
export interface SigningColumns {
  readonly positions: Uint32Array;
  readonly nonces: Float64Array;
  readonly entries: Uint8Array;
  readonly variants: Uint32Array;
}

/** The messages to a signing thread: `use` at the start and after a change of the blueprints, then orders. */
export interface SigningCalls {
  use(blueprints: readonly Blueprint[], fees: Fees): void;
  /** The i-th request has the id `firstId + i`. */
  sign(columns: SigningColumns, firstId: number): SignedPages;
}

/** Requests that are ready to be sent. The buffers are transferred, not copied. */
export interface SignedPages {
  /** JSON-RPC requests, one after another; the i-th from `ends[i - 1]` to `ends[i]`, its id `firstId + i`. */
  readonly bodies: Uint8Array;
  readonly ends: Uint32Array;
  /** Hashes of 32 bytes each. */
  readonly hashes: Uint8Array;
}
