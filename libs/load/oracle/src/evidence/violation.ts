export type Check = 'nonce' | 'balance' | 'gas';

export const CHECKS = ['nonce', 'balance', 'gas'] as const satisfies readonly Check[];

/** A call that anybody can send to the sequencer to see the same. */
export interface JsonRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * An invariant that did not hold, with all that is needed to see it again. Addresses and hashes are `0x…`.
 */
export interface Violation {
  readonly check: Check;
  /** Within the check: `gap`, `duplicate`, `gas_over_limit`, … */
  readonly kind: string;
  readonly edgeId: string;
  readonly account: string;
  readonly hash: string | null;
  readonly nonce: number | null;
  readonly blockNumber: number | null;
  readonly expected: string;
  readonly observed: string;
  /** The receipt as the sequencer gave it, JSON. */
  readonly receipt: string | null;
  readonly calls: readonly JsonRpcCall[];
  /** How sure it is which transaction it was; null: nothing is in doubt. */
  readonly note: string | null;
}

/** A violation as a check finds it. */
export type ViolationFacts = Omit<Violation, 'check' | 'note'>;
