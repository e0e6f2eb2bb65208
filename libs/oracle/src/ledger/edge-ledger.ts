import { FEED_FLAGS, type BatchOf, type RowOf, type TableBatch } from '#telemetry';
import { accountNumbers } from '../account/account-column.ts';
import { AccountIndex } from '../account/account-index.ts';
import { hexOf, hexOrNull, numberAt, numberOrNull, textAt, textOrNull } from '../account/row-value.ts';
import { BalanceTrack } from '../balance/balance-track.ts';
import type { ViolationLogs } from '../evidence/violation-logs.ts';
import { gasFaults } from '../gas/gas-rules.ts';
import { NonceTrack } from '../nonce/nonce-track.ts';
import { nonceViolation } from '../nonce/nonce-violation.ts';
import { gasViolation } from '../gas/gas-violation.ts';

type Outcome = RowOf<'transactions'>['outcome'];

const US_PER_MS = 1_000;
/** Sightings that say nothing of the order: sent again, or from before the run. */
const IGNORED_FLAGS = FEED_FLAGS.duplicate | FEED_FLAGS.backlog;

/** What the rows of an edge tell of its transactions, as far as they have come. */
export interface SeenTransactions {
  readonly sent: number;
  readonly notSent: number;
  /** In the feed or in a block. */
  readonly included: number;
  readonly rejected: number;
}

/** What the oracle knows of one edge: its accounts, and what its batches said of them, in order. */
export class EdgeLedger {
  readonly index = new AccountIndex();
  readonly balances = new BalanceTrack();
  readonly nonces: NonceTrack;
  readonly edgeId: string;
  readonly #logs: ViolationLogs;
  readonly #outcomes: Record<Outcome, number> = { included: 0, rejected: 0, unknown: 0, not_sent: 0 };
  receiptCount = 0;
  eventsDropped = 0;
  feedMessages = 0;

  constructor(edgeId: string, logs: ViolationLogs) {
    this.edgeId = edgeId;
    this.#logs = logs;
    this.nonces = new NonceTrack((fault) =>
      logs.nonce.add(nonceViolation(edgeId, this.addressOf(fault.account), fault)),
    );
  }

  take(batch: TableBatch): void {
    if (batch.table === 'balances') this.#takeBalances(batch);
    else if (batch.table === 'feed') this.#takeFeed(batch);
    else if (batch.table === 'receipts') this.#takeReceipts(batch);
    else if (batch.table === 'transactions') this.#takeTransactions(batch);
    else if (batch.table === 'intervals') this.#takeIntervals(batch);
  }

  /** A receipt shows an inclusion, whether the row of its transaction has come or not. */
  get seen(): SeenTransactions {
    const { included, rejected, unknown, not_sent: notSent } = this.#outcomes;
    const shown = Math.max(included, this.receiptCount);
    return { sent: shown + rejected + unknown, notSent, included: shown, rejected };
  }

  addressOf(account: number): string {
    return hexOf(this.index.address(account));
  }

  #takeBalances({ rowCount, columns }: BatchOf<'balances'>): void {
    const accounts = accountNumbers(columns.account, this.index, 'add');
    for (let row = 0; row < rowCount; row++) {
      const account = accounts[row] ?? 0;
      const nonce = numberAt(columns.nonce, row);
      const wei = BigInt(textAt(columns.balance_wei, row));
      const at = { wei, nonce, blockNumber: numberAt(columns.block_number, row) };
      if (textAt(columns.at, row) === 'end') this.balances.end(account, at);
      else {
        this.balances.begin(account, at);
        this.nonces.begin(account, nonce);
      }
    }
  }

  #takeFeed({ rowCount, columns }: BatchOf<'feed'>): void {
    const accounts = accountNumbers(columns.account, this.index, 'add');
    for (let row = 0; row < rowCount; row++) {
      const flags = numberAt(columns.flags, row);
      const account = accounts[row] ?? -1;
      if (account === -1) {
        this.feedMessages += 1;
        if ((flags & FEED_FLAGS.afterGap) !== 0) this.nonces.feedGap();
        if ((flags & FEED_FLAGS.reorganisation) !== 0) {
          this.nonces.reorganised(numberAt(columns.sequence_number, row));
        }
      } else if ((flags & IGNORED_FLAGS) === 0) this.#see(row, account, columns);
    }
  }

  #see(row: number, account: number, columns: BatchOf<'feed'>['columns']): void {
    this.nonces.see({
      account,
      nonce: numberAt(columns.nonce, row),
      receivedUs: numberAt(columns.received_us, row),
      sequence: numberAt(columns.sequence_number, row),
      blockNumber: numberOrNull(columns.block_number, row),
      hash: () => hexOrNull(columns.hash, row),
    });
  }

  #takeReceipts({ rowCount, columns }: BatchOf<'receipts'>): void {
    const from = accountNumbers(columns.account, this.index, 'add');
    const to = accountNumbers(columns.to, this.index, 'find');
    for (let row = 0; row < rowCount; row++) {
      const gasUsed = BigInt(numberAt(columns.gas_used, row));
      const priceWei = BigInt(textAt(columns.effective_gas_price, row));
      const account = from[row] ?? 0;
      this.receiptCount += 1;
      this.balances.pay({
        from: account,
        to: to[row] ?? -1,
        kind: textAt(columns.kind, row),
        isSuccess: numberAt(columns.status, row) === 1,
        valueWei: BigInt(textAt(columns.value_wei, row)),
        gasUsed,
        priceWei,
      });
      this.#checkGas({ row, account, gasUsed, priceWei }, columns);
    }
  }

  #checkGas(
    { row, account, gasUsed, priceWei }: { row: number; account: number; gasUsed: bigint; priceWei: bigint },
    columns: BatchOf<'receipts'>['columns'],
  ): void {
    const gasUsedL1 = numberOrNull(columns.gas_used_l1, row);
    const faults = gasFaults({
      gasUsed,
      gasLimit: BigInt(numberAt(columns.gas_limit, row)),
      gasUsedL1: gasUsedL1 === null ? null : BigInt(gasUsedL1),
      priceWei,
      maxFeeWei: BigInt(textAt(columns.max_fee_wei, row)),
    });
    for (const fault of faults) {
      const transaction = {
        account: this.addressOf(account),
        hash: hexOrNull(columns.hash, row),
        nonce: numberAt(columns.nonce, row),
        blockNumber: numberAt(columns.block_number, row),
        receipt: textOrNull(columns.receipt_json, row),
      };
      this.#logs.gas.add(gasViolation(this.edgeId, transaction, fault));
    }
  }

  #takeTransactions({ rowCount, columns }: BatchOf<'transactions'>): void {
    for (let row = 0; row < rowCount; row++) {
      this.#outcomes[textAt(columns.outcome, row) as Outcome] += 1;
    }
  }

  #takeIntervals({ rowCount, columns }: BatchOf<'intervals'>): void {
    for (let row = 0; row < rowCount; row++) {
      const dropped = numberAt(columns.events_dropped, row);
      const endUs = numberAt(columns.at_us, row) + numberAt(columns.interval_ms, row) * US_PER_MS;
      this.eventsDropped += dropped;
      this.nonces.interval(endUs, dropped);
    }
  }
}
