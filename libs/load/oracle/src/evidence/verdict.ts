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

/** `inconclusive`: no violation was seen, but not all that had to be seen was. It never counts as held. */
export type Verdict = 'pass' | 'fail' | 'inconclusive';

/** How much of what had to be checked was: accounts for nonce and balance, receipts for gas. */
export interface Coverage {
  readonly checked: number;
  readonly total: number;
}

/** What one check found, as a report shows it. */
export interface CheckVerdict {
  readonly verdict: Verdict;
  readonly coverage: Coverage;
  /** Exact, however many of them are kept as evidence. */
  readonly violationCount: number;
  readonly violations: readonly Violation[];
  /** Why something could not be checked, each with the number of accounts or receipts concerned. */
  readonly gaps: readonly CoverageGap[];
}

export interface CoverageGap {
  readonly reason: GapReason;
  readonly count: number;
}

export type GapReason =
  | 'no_start_balance'
  | 'no_end_balance'
  | 'feed_gap'
  /** The feed was to be read, and no message of it came. */
  | 'feed_silent'
  /** The feed told of blocks of which nobody knows whether they ever stood. */
  | 'feed_unconfirmed'
  | 'reorganised'
  | 'events_dropped'
  | 'edge_lost'
  | 'missing_receipts'
  | 'malformed_receipt'
  /** Blocks could not be read. */
  | 'blocks_unread'
  /** Somebody else sends from the account, or to it. */
  | 'foreign_transactions'
  /** Accepted transactions that still wait at the target. */
  | 'pending_transactions'
  | 'unknown_value_flow'
  | 'base_fee_unknown'
  | 'token_unread';

/** The verdict that follows: one violation fails it, and only whole coverage of something passes it. */
export function verdictOf(violationCount: number, { checked, total }: Coverage): Verdict {
  if (violationCount > 0) return 'fail';
  return checked === total && total > 0 ? 'pass' : 'inconclusive';
}

/** What a pass of a check proves, and what it cannot see: shown beside it wherever a verdict is. */
export interface CheckLimits {
  readonly proves: string;
  readonly cannotSee: string;
}

export const CHECK_LIMITS: Readonly<Record<Check, CheckLimits>> = {
  nonce: {
    proves:
      'each transaction of the run’s accounts was executed once, at one place, in the order of its nonces; the ' +
      'state’s nonce agrees; and every feed message that came tells what its block holds: its hash where it ' +
      'carries one, its transactions, their order, each once in the whole run, signed where target.feed_signer ' +
      'names the signer. Without a feed: the same of blocks alone',
    cannotSee:
      'accounts that are not the run’s; whether a message that never came told of a transaction once more; who ' +
      'signs the feed, unless target.feed_signer names the signer',
  },
  balance: {
    proves:
      'each account’s money, and its units of the load’s ERC-20 token, between two pinned blocks is, to the last ' +
      'one, what its receipts moved: value out and in, gas used × effective price',
    cannotSee:
      'what appears and vanishes again between the two; other accounts; whether state and receipts that agree ' +
      'are both made up',
  },
  gas: {
    proves:
      'no receipt used more than its limit or less than 21,000; gasUsedForL1 is within gasUsed; the price is the ' +
      'block’s base fee, with the tip where tips are paid, up to the cap, exactly; the receipts of a block add up ' +
      'to its gas, stand where they say, and deployments name their contract',
    cannotSee:
      'whether the gas of an execution, or the base fee of a block, is itself right: that would take a second ' +
      'execution',
  },
};
