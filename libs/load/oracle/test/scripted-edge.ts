import { FEED_FLAGS, type FindingKind, type RowOf, type TableBatch } from '#load/telemetry';
import { batchOfRows } from './batch-of-rows.ts';

export const GAS_LIMIT = 30_000;
export const GAS_USED = 21_500;
export const PRICE_WEI = 100n;
export const START_WEI = 10n ** 18n;

const SECOND_US = 1_000_000;
const START_NONCE = 3;

export const addressOf = (account: number) => bytes(20, account + 1);
export const hexAddressOf = (account: number) => `0x${Buffer.from(addressOf(account)).toString('hex')}`;
export const hashOf = (account: number, nonce: number) => bytes(32, (account + 1) * 65_536 + nonce);
export const hexHashOf = (account: number, nonce: number) =>
  `0x${Buffer.from(hashOf(account, nonce)).toString('hex')}`;

function bytes(length: number, value: number): Uint8Array {
  const filled = new Uint8Array(length);
  new DataView(filled.buffer).setUint32(length - 4, value);
  return filled;
}

export interface Sent {
  readonly from: number;
  readonly to: number;
  readonly nonce: number;
  readonly valueWei: bigint;
  readonly isSuccess: boolean;
  readonly kind?: string;
}

/** A miniature edge with its chain: applies sent transactions, and reports them like a real edge. */
export class ScriptedEdge {
  readonly batches: TableBatch[][] = [];
  readonly balances: bigint[];
  readonly nonces: number[];
  #sequence = 0;
  #nowUs = SECOND_US;

  constructor(accountCount: number, startNonce = START_NONCE) {
    this.balances = Array.from({ length: accountCount }, () => START_WEI);
    this.nonces = Array.from({ length: accountCount }, () => startNonce);
  }

  pin(at: 'start' | 'end'): void {
    const rows = this.balances.map((balance, account): RowOf<'balances'> => ({
      account: addressOf(account),
      at,
      block_number: at === 'start' ? 10 : 1_000,
      balance_wei: balance,
      nonce: this.nonces[account] ?? 0,
      token_units: null,
    }));
    this.batches.push([batchOfRows('balances', rows)]);
  }

  /** Applies a transaction with the account's next nonce, and reports it in all tables. */
  send(from: number, to: number, { isSuccess = true, valueWei = 5n, kind = 'transfer' } = {}): Sent {
    const nonce = this.nonces[from] ?? 0;
    const sent = { from, to, nonce, valueWei, isSuccess, kind };
    this.apply(sent);
    this.recordFeed(sent);
    this.recordReceipt(sent);
    this.recordIncluded(sent);
    return sent;
  }

  apply({ from, to, valueWei, isSuccess }: Sent): void {
    this.credit(from, -BigInt(GAS_USED) * PRICE_WEI);
    this.nonces[from] = (this.nonces[from] ?? 0) + 1;
    if (!isSuccess) return;
    this.credit(from, -valueWei);
    if (to >= 0) this.credit(to, valueWei);
  }

  credit(account: number, wei: bigint): void {
    this.balances[account] = (this.balances[account] ?? 0n) + wei;
  }

  /** Uses the next sequence number by default; a given one is the new base of the count. */
  recordFeed({ from, nonce }: Sent, flags = 0, sequence = this.#sequence + 1): void {
    this.#sequence = sequence;
    this.#nowUs += 1_000;
    const message = {
      received_us: this.#nowUs,
      sequence_number: this.#sequence,
      tx_count: null,
      bytes: null,
      flags,
      block_number: this.#sequence,
    };
    const rows: RowOf<'feed'>[] = [
      { ...message, tx_index: -1, tx_count: 1, bytes: 200, account: null, nonce: null, hash: null },
      { ...message, tx_index: 0, account: addressOf(from), nonce, hash: hashOf(from, nonce) },
    ];
    this.batches.push([batchOfRows('feed', rows)]);
  }

  /** A message without own transactions, after a skipped one. */
  recordFeedGap(): void {
    this.#nowUs += 1_000;
    this.#sequence += 2;
    const row: RowOf<'feed'> = {
      received_us: this.#nowUs,
      sequence_number: this.#sequence,
      tx_index: -1,
      tx_count: 0,
      bytes: 10,
      flags: FEED_FLAGS.afterGap,
      block_number: null,
      account: null,
      nonce: null,
      hash: null,
    };
    this.batches.push([batchOfRows('feed', [row])]);
  }

  /** The feed continues from this number. */
  recordFeedAgainAt(sequence: number): void {
    this.#sequence = sequence;
  }

  /** Token units of the accounts, replacing those of the pins. */
  recordUnits(start: readonly (bigint | null)[], end: readonly (bigint | null)[]): void {
    const rows = (at: 'start' | 'end', units: readonly (bigint | null)[]): TableBatch =>
      batchOfRows(
        'balances',
        units.map((amount, account): RowOf<'balances'> => ({
          account: addressOf(account),
          at,
          block_number: at === 'start' ? 10 : 1_000,
          balance_wei: (at === 'start' ? START_WEI : this.balances[account]) ?? 0n,
          nonce: at === 'start' ? START_NONCE : (this.nonces[account] ?? 0),
          token_units: amount,
        })),
      );
    this.batches[0] = [rows('start', start)];
    this.batches.push([rows('end', end)]);
  }

  /** Sequence number of the latest message. */
  get sequence(): number {
    return this.#sequence;
  }

  recordReceipt(
    { from, to, nonce, valueWei, isSuccess, kind = 'transfer' }: Sent,
    gasUsed = GAS_USED,
    more: Partial<RowOf<'receipts'>> = {},
  ): void {
    const row: RowOf<'receipts'> = {
      block_number: this.#sequence,
      tx_index: 0,
      hash: hashOf(from, nonce),
      account: addressOf(from),
      nonce,
      to: to >= 0 ? addressOf(to) : null,
      kind,
      value_wei: valueWei,
      gas_limit: GAS_LIMIT,
      max_fee_wei: PRICE_WEI * 3n,
      status: isSuccess ? 1 : 0,
      gas_used: gasUsed,
      gas_used_l1: 500,
      effective_gas_price: PRICE_WEI,
      receipt_json: null,
      base_fee_wei: PRICE_WEI,
      tip_wei: 0n,
      token_to: null,
      token_units: null,
      is_withdrawn: false,
      ...more,
    };
    this.batches.push([batchOfRows('receipts', [row])]);
  }

  recordIncluded(sent: Sent): void {
    this.#recordTransaction(sent, { outcome: 'included', error_class: null });
  }

  /** Reports a transaction as accepted but not included. */
  recordPending(sent: Pick<Sent, 'from' | 'nonce'>): void {
    this.#recordTransaction(sent, { outcome: 'unknown', error_class: 'pending' });
  }

  /** Reports a rejection; `expect` is what the mix expects. */
  recordRejected(sent: Pick<Sent, 'from' | 'nonce'>, failure: string, expect: string | null): void {
    this.#recordTransaction(sent, { outcome: 'rejected', error_class: failure, expect });
  }

  #recordTransaction(
    { from, nonce }: Pick<Sent, 'from' | 'nonce'>,
    more: Pick<RowOf<'transactions'>, 'outcome' | 'error_class'> & Partial<RowOf<'transactions'>>,
  ): void {
    const row: RowOf<'transactions'> = {
      tx: nonce,
      stage: 0,
      kind: 'transfer',
      expect: null,
      account: addressOf(from),
      nonce,
      hash: hashOf(from, nonce),
      intended_us: this.#nowUs,
      sent_us: this.#nowUs,
      acked_us: this.#nowUs,
      feed_us: this.#nowUs,
      ...more,
      feed_sequence: this.#sequence,
      block_number: this.#sequence,
      is_excluded: false,
      block_us: this.#nowUs,
      type: 2,
      way: 'raw',
      timeboosted: null,
      block_index: 0,
      block_size: 1,
    };
    this.batches.push([batchOfRows('transactions', [row])]);
  }

  recordFinding(kind: FindingKind, more: Partial<RowOf<'findings'>> = {}): void {
    const nothing = { account: null, receiver: null, hash: null, nonce: null, receipt_json: null };
    const nowhere = { block_number: null, sequence_number: null, expected: null, observed: null };
    const row = { at_us: this.#nowUs, kind, ...nothing, ...nowhere, ...more };
    this.batches.push([batchOfRows('findings', [row])]);
  }

  /** Ends a second with this number of dropped events. */
  recordInterval(dropped = 0): void {
    const counts = [
      'stage',
      'planned',
      'sent',
      'not_sent',
      'acked',
      'included',
      'rejected',
      'unknown',
      'in_flight',
    ];
    const more = ['feed_messages', 'correlation_misses', 'loop_delay_p99_us', 'cpu_ms'];
    const row = {
      ...Object.fromEntries([...counts, ...more].map((name) => [name, 0])),
      at_us: this.#nowUs,
      interval_ms: 1_000,
      events_dropped: dropped,
      send_delay: null,
      send_ack: null,
      send_feed: null,
      intended_feed: null,
      send_block: null,
      intended_block: null,
    } as RowOf<'intervals'>;
    this.#nowUs += SECOND_US;
    this.batches.push([batchOfRows('intervals', [row])]);
  }
}
