/**
 * What follows for each account of an edge when no more comes.
 *
 * A balance is compared only where all that moved it was seen: the account's own receipts, and, for what
 * it may have received, those of all its neighbours. Whether receipts are complete is told by the feed
 * where it was watched, else by the nonce. An account that lacks something is named as a gap of coverage:
 * never held, never broken. How many receipts there have to be is told by the edge itself, at the end.
 */
import type { GapReason } from '../evidence/verdict.ts';
import type { Violation } from '../evidence/violation.ts';
import type { ViolationLogs } from '../evidence/violation-logs.ts';
import type { AccountMoney } from '../balance/balance-track.ts';
import { balanceViolation } from '../balance/balance-violation.ts';
import type { CoverageCount } from './coverage-count.ts';
import type { EdgeLedger } from './edge-ledger.ts';

export interface EdgeCoverage {
  readonly nonce: CoverageCount;
  readonly balance: CoverageCount;
  readonly gas: CoverageCount;
}

/** The last that is known of an edge beside its rows. */
export interface EdgeWord {
  /** It is gone: what it did not say is not known. */
  readonly isLost: boolean;
  /** So many of its transactions were included, by its own count. */
  readonly includedCount: number;
}

interface EdgeConclusion {
  readonly word: EdgeWord;
  readonly logs: ViolationLogs;
  readonly coverage: EdgeCoverage;
}

/** Adds the edge's last violations to the logs and its accounts to the coverage. */
export function concludeEdge(ledger: EdgeLedger, { word, logs, coverage }: EdgeConclusion): void {
  ledger.nonces.end(word.isLost);
  const accounts = Array.from({ length: ledger.index.size }, (_, account) => account);
  const missing = accounts.map((account) => receiptGap(ledger, account, word));
  const isClosed = missing.every((gap) => gap === null);
  for (const account of accounts) {
    coverage.nonce.add(nonceGap(ledger, account, word));
    const violation = concludeBalance(ledger, account, { gap: missing[account] ?? null, isClosed });
    if (violation === null || typeof violation === 'string') coverage.balance.add(violation);
    else {
      coverage.balance.add(null);
      logs.balance.add(violation);
    }
  }
  concludeGas(ledger, word, coverage.gas);
}

/** Null: all that the account sent was seen in the feed. */
function nonceGap(ledger: EdgeLedger, account: number, word: EdgeWord): GapReason | null {
  const money = ledger.balances.money(account);
  const gap = pinGap(money, word) ?? (ledger.feedMessages === 0 ? 'feed_not_watched' : null);
  if (gap !== null) return gap;
  const isExecuted = money.receipts >= money.endNonce - money.startNonce;
  ledger.nonces.conclude(account, { nonce: money.endNonce, isExecuted });
  return ledger.nonces.incomplete(account);
}

/** Null: it holds. A reason: it cannot be told. */
function concludeBalance(
  ledger: EdgeLedger,
  account: number,
  { gap, isClosed }: { gap: GapReason | null; isClosed: boolean },
): Omit<Violation, 'check'> | GapReason | null {
  const money = ledger.balances.money(account);
  if (gap !== null) return gap;
  if (money.hasUnknownFlow) return 'unknown_value_flow';
  const { startWei, endWei, movedWei } = money;
  if (startWei === null || endWei === null || startWei + movedWei === endWei) return null;
  if (!isClosed) return 'missing_receipts';
  return balanceViolation(ledger.edgeId, ledger.addressOf(account), {
    expectedWei: startWei + movedWei,
    observedWei: endWei,
    startBlock: money.startBlock,
    endBlock: money.endBlock,
  });
}

function concludeGas(ledger: EdgeLedger, word: EdgeWord, coverage: CoverageCount): void {
  coverage.add(null, ledger.receiptCount);
  const missing = Math.max(ledger.seen.included, word.includedCount) - ledger.receiptCount;
  if (missing > 0) coverage.add(whyMissing(ledger, word), missing);
}

/** Why a receipt has not come. */
function whyMissing({ eventsDropped }: EdgeLedger, { isLost }: EdgeWord): GapReason {
  if (isLost) return 'edge_lost';
  return eventsDropped > 0 ? 'events_dropped' : 'missing_receipts';
}

/** Why the account's start or end is not known. */
function pinGap({ startWei, endWei }: AccountMoney, { isLost }: EdgeWord): GapReason | null {
  if (startWei === null) return isLost ? 'edge_lost' : 'no_start_balance';
  if (endWei === null) return isLost ? 'edge_lost' : 'no_end_balance';
  return null;
}

/** Why not all that the account sent is known. */
function receiptGap(ledger: EdgeLedger, account: number, word: EdgeWord): GapReason | null {
  const money = ledger.balances.money(account);
  const gap = pinGap(money, word);
  if (gap !== null) return gap;
  const isFeedWhole = ledger.feedMessages > 0 && ledger.nonces.incomplete(account) === null;
  const sent = isFeedWhole ? ledger.nonces.seen(account) : money.endNonce - money.startNonce;
  return money.receipts >= sent ? null : whyMissing(ledger, word);
}
