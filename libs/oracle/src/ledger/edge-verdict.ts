/**
 * What follows for each account of an edge when no more comes.
 *
 * A balance is compared only where all that moved it was seen: the account's own receipts, and, for what
 * it may have received, those of all its neighbours. Whether receipts are complete is told by the feed
 * where it was watched, else by the nonce. An account that lacks something is named as a gap of coverage:
 * never held, never broken.
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

/** Adds the edge's last violations to the logs and its accounts to the coverage. */
export function concludeEdge(ledger: EdgeLedger, logs: ViolationLogs, coverage: EdgeCoverage): void {
  ledger.nonces.end();
  const accounts = Array.from({ length: ledger.index.size }, (_, account) => account);
  const missing = accounts.map((account) => receiptGap(ledger, account));
  const isClosed = missing.every((gap) => gap === null);
  for (const account of accounts) {
    concludeNonce(ledger, account, coverage.nonce);
    const violation = concludeBalance(ledger, account, { gap: missing[account] ?? null, isClosed });
    if (violation === null || typeof violation === 'string') coverage.balance.add(violation);
    else {
      coverage.balance.add(null);
      logs.balance.add(violation);
    }
  }
  concludeGas(ledger, coverage.gas);
}

function concludeNonce(ledger: EdgeLedger, account: number, coverage: CoverageCount): void {
  const money = ledger.balances.money(account);
  const gap = pinGap(ledger, money) ?? (ledger.feedMessages === 0 ? 'feed_not_watched' : null);
  if (gap === null) ledger.nonces.conclude(account, money.endNonce);
  coverage.add(gap ?? ledger.nonces.incomplete(account));
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

function concludeGas(ledger: EdgeLedger, coverage: CoverageCount): void {
  coverage.add(null, ledger.receiptCount);
  const missing = ledger.includedCount - ledger.receiptCount;
  if (missing > 0) coverage.add('missing_receipts', missing);
}

/** Why the account's start or end is not known. */
function pinGap(ledger: EdgeLedger, { startWei, endWei }: AccountMoney): GapReason | null {
  if (startWei === null) return 'no_start_balance';
  if (endWei === null) return ledger.isLost ? 'edge_lost' : 'no_end_balance';
  return null;
}

/** Why not all that the account sent is known. */
function receiptGap(ledger: EdgeLedger, account: number): GapReason | null {
  const money = ledger.balances.money(account);
  const gap = pinGap(ledger, money);
  if (gap !== null) return gap;
  const isFeedWhole = ledger.feedMessages > 0 && ledger.nonces.incomplete(account) === null;
  const sent = isFeedWhole ? ledger.nonces.seen(account) : money.endNonce - money.startNonce;
  if (money.receipts >= sent) return null;
  return ledger.eventsDropped > 0 ? 'events_dropped' : 'missing_receipts';
}
