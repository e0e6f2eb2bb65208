import type { Violation } from './violation.ts';

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
