/**
 * The final result for each account of an edge, after its last batch.
 *
 * A balance is compared only if everything that moved it was seen: the account's own receipts and, because it
 * may have received value, those of the edge's other accounts. The completeness of receipts is determined by
 * the feed if it is read, else by the nonce. An account with missing data, or used by another sender, is a
 * gap of coverage: neither passed nor failed. The edge reports the expected number of receipts at the end. If
 * telemetry was dropped, it may have contained other payments: a wrong sum is then inconclusive.
 */
import { type BalanceFault, balanceViolation, type PinnedState } from '../checks/balance-track.ts';
import type { Coverage, CoverageGap, GapReason, ViolationFacts } from '../evidence/verdict.ts';
import type { ViolationLogs } from '../evidence/violation-logs.ts';
import { type NonceFault, nonceViolation } from '../checks/nonce-track.ts';
import type { EdgeLedger } from './edge-ledger.ts';

/** Number of checked accounts, and the reasons for the unchecked ones. */
export class CoverageCount {
  readonly #gaps = new Map<GapReason, number>();
  #checked = 0;
  #total = 0;

  /** Counts an item with the reason why it was not checked; null if it was. */
  add(gap: GapReason | null, count = 1): void {
    this.#total += count;
    if (gap === null) this.#checked += count;
    else if (count > 0) this.#gaps.set(gap, (this.#gaps.get(gap) ?? 0) + count);
  }

  get coverage(): Coverage {
    return { checked: this.#checked, total: this.#total };
  }

  get gaps(): readonly CoverageGap[] {
    return Array.from(this.#gaps, ([reason, count]) => ({ reason, count }));
  }
}

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';

const PADDING = '0'.repeat(24);

interface EdgeCoverage {
  readonly nonce: CoverageCount;
  readonly balance: CoverageCount;
  readonly gas: CoverageCount;
}

/** The final state of an edge, apart from its rows. */
export interface EdgeOutcome {
  /** Whether the edge was lost, with unreported data. */
  readonly isLost: boolean;
  /** Number of its included transactions, by its own count. */
  readonly includedCount: number;
}

interface EdgeConclusion {
  readonly outcome: EdgeOutcome;
  readonly logs: ViolationLogs;
  readonly coverage: EdgeCoverage;
}

/** Adds the edge's final violations to the logs and its accounts to the coverage. */
export function concludeEdge(ledger: EdgeLedger, { outcome, logs, coverage }: EdgeConclusion): void {
  ledger.nonces.end(outcome.isLost);
  const accounts = Array.from({ length: ledger.index.size }, (_, account) => account);
  const missing = accounts.map((account) => receiptGap(ledger, account, outcome));
  const isClosed = ledger.eventsDropped === 0 && missing.every((gap) => gap === null);
  for (const account of accounts) {
    const gap = nonceGap(ledger, account, { outcome, logs, coverage });
    coverage.nonce.add(gap ?? (ledger.marks.isPending(account) ? 'pending_transactions' : null));
    const violation = concludeBalance(ledger, account, { gap: missing[account] ?? null, isClosed });
    if (violation === null || typeof violation === 'string') coverage.balance.add(violation);
    else {
      coverage.balance.add(null);
      logs.balance.add(violation);
    }
  }
  concludeGas(ledger, outcome, coverage.gas);
}

/** Null if every transaction of the account was in order. */
function nonceGap(ledger: EdgeLedger, account: number, { outcome, logs }: EdgeConclusion): GapReason | null {
  const { start, end, receipts } = ledger.balances.money(account);
  if (start === null || end === null) return pinGap(start, outcome.isLost);
  if (start.nonce === null || end.nonce === null) return ledger.marks.excuseOf(account) ?? 'no_end_nonce';
  if (ledger.hasFeed) {
    const isExecuted = receipts >= end.nonce - start.nonce;
    return feedGap(ledger, account, { nonce: end.nonce, isExecuted });
  }
  const fault = concludeBlocks(ledger, account, { nonce: end.nonce, outcome });
  if (fault === null || typeof fault === 'string') return fault;
  logs.nonce.add(nonceViolation(ledger.edgeId, ledger.addressOf(account), fault));
  return null;
}

/** Like {@link nonceGap}, for nonces in the order of the feed. */
function feedGap(
  ledger: EdgeLedger,
  account: number,
  state: { readonly nonce: number; readonly isExecuted: boolean },
): GapReason | null {
  if (ledger.feedMessages === 0) return ledger.marks.excuseOf(account) ?? 'feed_silent';
  ledger.nonces.conclude(account, state);
  return ledger.nonces.incomplete(account) ?? (ledger.marks.isFeedUnconfirmed ? 'feed_unconfirmed' : null);
}

/** Checks nonces in the order of blocks. Null if they are correct; a reason if it cannot be determined. */
function concludeBlocks(
  ledger: EdgeLedger,
  account: number,
  { nonce, outcome }: { nonce: number; outcome: EdgeOutcome },
): NonceFault | GapReason | null {
  const excuse = ledger.marks.excuseOf(account);
  const executed = ledger.marks.executed(account);
  if (excuse !== null || executed === undefined) return excuse;
  if (executed.isWhole && executed.due === nonce) return null;
  const reason =
    gapReason(ledger, account, outcome) ?? (ledger.marks.wasReorganised(account) ? 'reorganised' : null);
  if (reason !== null) return reason;
  return {
    kind: executed.isWhole ? 'final_count' : 'gap',
    account,
    expected: executed.due,
    observed: nonce,
    hash: null,
    blockNumber: null,
  };
}

/** Null if it is checked; a reason if it cannot be determined. */
function concludeBalance(
  ledger: EdgeLedger,
  account: number,
  { gap, isClosed }: { gap: GapReason | null; isClosed: boolean },
): ViolationFacts | GapReason | null {
  const { start, end, movedWei, hasUnknownFlow } = ledger.balances.money(account);
  const excuse = ledger.marks.excuseOf(account) ?? gap;
  if (excuse !== null || start === null || end === null) return excuse;
  if (hasUnknownFlow) return 'unknown_value_flow';
  if (start.wei === null || end.wei === null) return pinGap(start, false);
  const expectedAmount = start.wei + movedWei;
  if (expectedAmount === end.wei) return concludeToken(ledger, account, { start, end, isClosed });
  if (!isClosed) return 'missing_receipts';
  // A contract can only add to a balance: less than expected is a violation all the same.
  if (ledger.mayBePaid && end.wei > expectedAmount) return 'unknown_value_flow';
  return balanceViolation(ledger.edgeId, ledger.addressOf(account), {
    expectedAmount,
    observedAmount: end.wei,
    startBlock: start.blockNumber,
    endBlock: end.blockNumber,
  });
}

/** Like {@link concludeBalance}, for the units of the load's token. */
function concludeToken(
  ledger: EdgeLedger,
  account: number,
  { start, end, isClosed }: { start: PinnedState; end: PinnedState; isClosed: boolean },
): ViolationFacts | GapReason | null {
  const { movedUnits } = ledger.balances.money(account);
  if (movedUnits === null || ledger.token === null) return null;
  if (start.tokenUnits === null || end.tokenUnits === null) return 'token_unread';
  const expectedAmount = start.tokenUnits + movedUnits;
  if (expectedAmount === end.tokenUnits) return null;
  if (!isClosed) return 'missing_receipts';
  return tokenViolation(ledger.edgeId, ledger.addressOf(account), {
    expectedAmount,
    observedAmount: end.tokenUnits,
    token: ledger.token,
    startBlock: start.blockNumber,
    endBlock: end.blockNumber,
  });
}

function concludeGas(ledger: EdgeLedger, outcome: EdgeOutcome, coverage: CoverageCount): void {
  const { receiptCount, unpricedCount, seen } = ledger;
  coverage.add(null, receiptCount - unpricedCount);
  coverage.add('base_fee_unknown', unpricedCount);
  const included = Math.max(seen.included, outcome.includedCount);
  coverage.add(whyMissing(ledger, outcome), included - receiptCount);
  // Blocks whose sums could not be checked, also without own transactions among the missing ones.
  coverage.add('missing_receipts', ledger.findings.get('receipts_missing')?.count ?? 0);
}

/** Why a receipt is missing. */
function whyMissing({ eventsDropped, marks }: EdgeLedger, { isLost }: EdgeOutcome): GapReason {
  if (isLost) return 'edge_lost';
  if (eventsDropped > 0) return 'events_dropped';
  return marks.hasMalformed ? 'malformed_receipt' : 'missing_receipts';
}

/** Why an account's transactions in blocks may not be fully known, if there is a reason. */
function gapReason(
  { eventsDropped, marks }: EdgeLedger,
  account: number,
  { isLost }: EdgeOutcome,
): GapReason | null {
  if (isLost) return 'edge_lost';
  if (eventsDropped > 0) return 'events_dropped';
  return marks.isMalformed(account) ? 'malformed_receipt' : null;
}

/** Why the account's balance at the start or end is unknown. */
function pinGap(start: PinnedState | null, isLost: boolean): GapReason {
  if (isLost) return 'edge_lost';
  return start?.wei === undefined || start.wei === null ? 'no_start_balance' : 'no_end_balance';
}

/** Why the account's sent transactions are not fully known. */
function receiptGap(ledger: EdgeLedger, account: number, outcome: EdgeOutcome): GapReason | null {
  const { start, end, receipts } = ledger.balances.money(account);
  if (start === null || end === null) return pinGap(start, outcome.isLost);
  const isFeedWhole = ledger.hasFeed && ledger.feedMessages > 0 && ledger.nonces.incomplete(account) === null;
  if (isFeedWhole) return receipts >= ledger.nonces.seen(account) ? null : whyMissing(ledger, outcome);
  if (start.nonce === null || end.nonce === null) return 'no_end_nonce';
  return receipts >= end.nonce - start.nonce ? null : whyMissing(ledger, outcome);
}

/** An unexplained increase or decrease of token units. Amounts are units. */
function tokenViolation(
  edgeId: string,
  account: string,
  { expectedAmount, observedAmount, startBlock, endBlock, token }: BalanceFault & { readonly token: string },
): ViolationFacts {
  const call = { to: token, data: `${BALANCE_OF}${PADDING}${account.slice(2)}` };
  return {
    kind: observedAmount > expectedAmount ? 'token_credited' : 'token_debited',
    edgeId,
    account,
    hash: null,
    nonce: null,
    blockNumber: endBlock,
    expected: `${expectedAmount} units`,
    observed: `${observedAmount} units`,
    receipt: null,
    calls: [startBlock, endBlock].map((block) => ({
      method: 'eth_call',
      params: [call, `0x${block.toString(16)}`],
    })),
  };
}
