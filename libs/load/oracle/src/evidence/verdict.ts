export type Check = 'nonce' | 'balance' | 'gas';

export const CHECKS = ['nonce', 'balance', 'gas'] as const satisfies readonly Check[];

/** A JSON-RPC call to the sequencer that reproduces the observation. */
export interface JsonRpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/**
 * A violated invariant with all data needed to reproduce it. Addresses and hashes are `0x…`.
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
  /** The receipt as returned by the sequencer, JSON. */
  readonly receipt: string | null;
  readonly calls: readonly JsonRpcCall[];
  /** How certain the attribution to a transaction is; null if it is certain. */
  readonly note: string | null;
}

/** A violation as returned by a check. */
export type ViolationFacts = Omit<Violation, 'check' | 'note'>;

/** `inconclusive`: no violation was seen, but the coverage is incomplete. It never counts as passed. */
export type Verdict = 'pass' | 'fail' | 'inconclusive';

/** The checked part of what had to be checked: accounts for nonce and balance, receipts for gas. */
export interface Coverage {
  readonly checked: number;
  readonly total: number;
}

/** The result of one check, as shown in a report. */
export interface CheckVerdict {
  readonly verdict: Verdict;
  readonly coverage: Coverage;
  /** Exact count, including violations without kept evidence. */
  readonly violationCount: number;
  readonly violations: readonly Violation[];
  /** Reasons for missing coverage, each with the number of affected accounts or receipts. */
  readonly gaps: readonly CoverageGap[];
}

export interface CoverageGap {
  readonly reason: GapReason;
  readonly count: number;
}

export type GapReason =
  | 'no_start_balance'
  | 'no_end_balance'
  | 'no_end_nonce'
  | 'feed_gap'
  /** The feed was configured, and no message arrived. */
  | 'feed_silent'
  /** The feed announced blocks that could not be confirmed. */
  | 'feed_unconfirmed'
  | 'reorganised'
  | 'events_dropped'
  | 'edge_lost'
  | 'missing_receipts'
  | 'malformed_receipt'
  /** Blocks could not be read. */
  | 'blocks_unread'
  /** Another sender uses the account, or sends to it. */
  | 'foreign_transactions'
  /** Accepted transactions that are still pending at the target, or undecided. */
  | 'pending_transactions'
  | 'unknown_value_flow'
  | 'base_fee_unknown'
  | 'token_unread';

/** The resulting verdict: one violation fails it; it passes only with full, non-empty coverage. */
export function verdictOf(violationCount: number, { checked, total }: Coverage): Verdict {
  if (violationCount > 0) return 'fail';
  return checked === total && total > 0 ? 'pass' : 'inconclusive';
}

/** What a pass of a check proves, and what it cannot detect: shown next to every verdict. */
export interface CheckLimits {
  readonly proves: string;
  readonly cannotSee: readonly CheckLimit[];
}

/** Something that a check does not examine. */
export interface CheckLimit {
  readonly code: string;
  readonly text: string;
}

const limit = (code: string, text: string): CheckLimit => ({ code, text });

/** What a check cannot see, in one sentence. */
export function limitsText(check: Check): string {
  return `cannot see ${CHECK_LIMITS[check].cannotSee.map(({ text }) => text).join('; ')}`;
}

export const CHECK_LIMITS: Readonly<Record<Check, CheckLimits>> = {
  nonce: {
    proves:
      'each transaction of the run’s accounts was executed once, at one position, in nonce order; the state’s ' +
      'nonce agrees; and every received feed message matches its block: the hash where it contains one, the ' +
      'transactions, their order, each once in the whole run, and the signature where target.feed_signer is ' +
      'set; no message is without a block. Without a feed: the same for blocks alone',
    cannotSee: [
      limit('accounts_outside', 'accounts outside the run'),
      limit('messages_not_received', 'whether a message that was not received repeats a transaction'),
      limit('signer_not_named', 'the signer of the feed, unless target.feed_signer is set'),
    ],
  },
  balance: {
    proves:
      'each account’s balance, and its units of the load’s ERC-20 token, changed between two pinned blocks by ' +
      'exactly the amounts in its receipts: value out and in, gas used × effective price',
    cannotSee: [
      limit('changes_undone', 'changes that are undone between the two blocks'),
      limit('other_accounts', 'other accounts'),
      limit('state_and_receipts_false', 'whether consistent state and receipts are both false'),
      limit(
        'token_logs_not_read',
        'the logs of token transfers: the token is asked for its balances instead',
      ),
    ],
  },
  gas: {
    proves:
      'no receipt used more than its limit or less than 21,000; gasUsedForL1 is within gasUsed; the price is the ' +
      'block’s base fee, with the tip where tips are paid, up to the cap, exactly; the receipts of a block add up ' +
      'to its gas, are at their stated positions and state the sender, receiver and type of their transactions; ' +
      'deployments contain their contract address, and leave code there',
    cannotSee: [
      limit(
        'execution_not_repeated',
        'whether the gas of an execution, or the base fee of a block, is correct in itself: this requires a ' +
          'second execution',
      ),
      limit(
        'contract_code_not_compared',
        'which code deployments leave at their address, and whether those after the first 1,000 of an edge leave any',
      ),
    ],
  },
};
