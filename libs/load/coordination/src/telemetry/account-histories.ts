import { toHex } from '#load/chain';
import type { AccountReceipt, BalanceHistory, Violation } from '#load/oracle';
import type { BatchOf, FixedColumn, TableBatch, TextColumn } from '#load/telemetry';

interface OpenHistory {
  startBlock: number;
  endBlock: number;
  startWei: bigint;
  readonly receipts: AccountReceipt[];
}

/** The balances and receipts of a few accounts, collected from a run's tables. */
export class AccountHistories {
  /** The number of accounts with balance violations for which the block is located. */
  static readonly ACCOUNTS_MAX = 10;
  readonly #histories: ReadonlyMap<string, OpenHistory>;

  /** Histories of the first accounts with balance violations. */
  static ofViolations(violations: readonly Violation[]): AccountHistories {
    const accounts = violations.filter(({ check }) => check === 'balance').map(({ account }) => account);
    return new AccountHistories([...new Set(accounts)].slice(0, AccountHistories.ACCOUNTS_MAX));
  }

  private constructor(accounts: readonly string[]) {
    this.#histories = new Map(
      accounts.map((account) => [account, { startBlock: 0, endBlock: 0, startWei: 0n, receipts: [] }]),
    );
  }

  get isEmpty(): boolean {
    return this.#histories.size === 0;
  }

  of(account: string): BalanceHistory | undefined {
    const history = this.#histories.get(account);
    return history === undefined ? undefined : { account, ...history };
  }

  apply(batches: readonly TableBatch[]): void {
    for (const batch of batches) {
      if (batch.table === 'balances') this.#applyBalances(batch);
      if (batch.table === 'receipts') this.#applyReceipts(batch);
    }
  }

  #applyBalances({ rowCount, columns }: BatchOf<'balances'>): void {
    for (let row = 0; row < rowCount; row++) {
      const history = this.#histories.get(hexAt(columns.account, row) ?? '');
      if (history === undefined) continue;
      const block = columns.block_number.values[row] ?? 0;
      if (textAt(columns.at, row) === 'end') {
        history.endBlock = block;
        continue;
      }
      history.startBlock = block;
      history.startWei = BigInt(textAt(columns.balance_wei, row) ?? 0);
    }
  }

  #applyReceipts(batch: BatchOf<'receipts'>): void {
    const { account, to } = batch.columns;
    for (let row = 0; row < batch.rowCount; row++) {
      const sender = this.#histories.get(hexAt(account, row) ?? '');
      const receiver = this.#histories.get(hexAt(to, row) ?? '');
      if (sender === undefined && receiver === undefined) continue;
      const { valueWei, feeWei, ...facts } = receiptAt(batch, row);
      const isWithdrawn = batch.columns.is_withdrawn.values[row] === 1;
      const own = sender === receiver ? -feeWei : -valueWei - feeWei;
      take(sender, { ...facts, movedWei: own, isSender: true }, isWithdrawn);
      if (receiver !== sender) take(receiver, { ...facts, movedWei: valueWei, isSender: false }, isWithdrawn);
    }
  }
}

/** Adds a receipt; a withdrawn receipt removes the earlier one. */
function take(history: OpenHistory | undefined, receipt: AccountReceipt, isWithdrawn: boolean): void {
  if (history === undefined) return;
  if (!isWithdrawn) {
    history.receipts.push(receipt);
    return;
  }
  const at = history.receipts.findLastIndex(
    ({ hash, blockNumber }) => hash === receipt.hash && blockNumber === receipt.blockNumber,
  );
  if (at >= 0) history.receipts.splice(at, 1);
}

function receiptAt({ columns }: BatchOf<'receipts'>, row: number) {
  const isSuccess = columns.status.values[row] === 1;
  const gasUsed = BigInt(columns.gas_used.values[row] ?? 0);
  return {
    hash: hexAt(columns.hash, row) ?? '',
    nonce: columns.nonce.values[row] ?? 0,
    blockNumber: columns.block_number.values[row] ?? 0,
    valueWei: isSuccess ? BigInt(textAt(columns.value_wei, row) ?? 0) : 0n,
    feeWei: gasUsed * BigInt(textAt(columns.effective_gas_price, row) ?? 0),
  };
}

function hexAt({ codes, width, bytes }: FixedColumn, row: number): string | undefined {
  const code = codes[row] ?? -1;
  return code < 0 ? undefined : toHex(bytes.subarray(code * width, (code + 1) * width));
}

function textAt({ codes, texts }: TextColumn, row: number): string | undefined {
  return texts[codes[row] ?? -1];
}
