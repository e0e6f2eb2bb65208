import type { RowOf } from '../../libs/load/telemetry/src/index.ts';

export type Record = <T extends 'transactions' | 'feed' | 'receipts'>(table: T, row: RowOf<T>) => void;

interface Kind {
  readonly kind: string;
  /** Number of such transactions in 100. */
  readonly weight: number;
  readonly gas: number;
}

const TRANSFER: Kind = { kind: 'transfer', weight: 80, gas: 21_000 };
const KINDS: readonly Kind[] = [
  TRANSFER,
  { kind: 'erc20_transfer', weight: 15, gas: 51_234 },
  { kind: 'deploy', weight: 1, gas: 310_022 },
  { kind: 'calldata', weight: 4, gas: 38_112 },
];
const START_US = 1_795_270_510_000_000;
const MEAN_GAP_US = 1_000;
const TXS_A_MESSAGE = 8;
const FEED_DELAY_US = 250_000;
const HASH_WORDS = 8;
const ADDRESS_BYTES = 20;

/** Indexed by a random number from 0 to 99. */
const DRAWN = KINDS.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));

/** The telemetry of an edge at 1,000 transactions a second: three events for each, one for each message. */
export class SimulatedEdge {
  readonly #accounts: readonly Uint8Array[];
  /** The hash of the transaction, overwritten by the next one: the recorder copies it. */
  readonly #hashWords = new Uint32Array(HASH_WORDS);
  readonly #hash = new Uint8Array(this.#hashWords.buffer);
  #state: number;
  #tx = 0;
  #nowUs = START_US;
  #feedUs = 0;

  constructor(number: number, accounts: number, seed: number) {
    this.#state = (seed * 8_191 + number * 131 + 1) >>> 0;
    this.#accounts = Array.from({ length: accounts }, () => this.#drawHash().slice(0, ADDRESS_BYTES));
  }

  /** Records the next transaction's events; returns their number. */
  next(record: Record): number {
    const tx = this.#tx++;
    const isFirst = tx % TXS_A_MESSAGE === 0;
    this.#nowUs += Math.floor(this.#random() * 2 * MEAN_GAP_US);
    this.#feedUs = this.#nowUs + FEED_DELAY_US + Math.floor(this.#random() * 1_000);
    this.#drawHash();
    if (isFirst) this.#recordMessage(record, tx / TXS_A_MESSAGE);
    this.#recordFed(record, tx);
    this.#recordSettled(record, tx);
    return isFirst ? 4 : 3;
  }

  #recordMessage(record: Record, message: number): void {
    record('feed', {
      received_us: this.#feedUs,
      sequence_number: message,
      tx_index: -1,
      tx_count: TXS_A_MESSAGE,
      bytes: 900 + Math.floor(this.#random() * 100),
      flags: 0,
      block_number: message,
      account: null,
      nonce: null,
      hash: null,
    });
  }

  #recordFed(record: Record, tx: number): void {
    const message = Math.floor(tx / TXS_A_MESSAGE);
    record('feed', {
      received_us: this.#feedUs,
      sequence_number: message,
      tx_index: tx % TXS_A_MESSAGE,
      tx_count: null,
      bytes: null,
      flags: 0,
      block_number: message,
      account: this.#account(tx),
      nonce: this.#nonce(tx),
      hash: this.#hash,
    });
  }

  #recordSettled(record: Record, tx: number): void {
    const { kind, gas } = DRAWN[Math.floor(this.#random() * DRAWN.length)] ?? TRANSFER;
    const message = Math.floor(tx / TXS_A_MESSAGE);
    record('transactions', {
      tx,
      stage: 1,
      kind,
      expect: null,
      account: this.#account(tx),
      nonce: this.#nonce(tx),
      hash: this.#hash,
      intended_us: this.#nowUs,
      sent_us: this.#nowUs + Math.floor(this.#random() * 300),
      acked_us: this.#feedUs + Math.floor(this.#random() * 9_000),
      feed_us: this.#feedUs,
      outcome: 'included',
      error_class: null,
      feed_sequence: message,
      block_number: message,
      is_excluded: false,
      block_us: null,
      type: 2,
      way: 'raw',
      timeboosted: null,
      block_index: tx % TXS_A_MESSAGE,
      block_size: TXS_A_MESSAGE,
    });
    record('receipts', {
      block_number: message,
      tx_index: tx % TXS_A_MESSAGE,
      hash: this.#hash,
      account: this.#account(tx),
      nonce: this.#nonce(tx),
      to: kind === 'deploy' ? null : this.#account(tx + 1),
      kind,
      value_wei: kind === 'transfer' ? 1n : 0n,
      gas_limit: Math.floor(gas * 1.2),
      max_fee_wei: 300_000_000n,
      status: 1,
      gas_used: gas,
      gas_used_l1: null,
      effective_gas_price: 100_000_000n,
      receipt_json: null,
      base_fee_wei: null,
      tip_wei: 0n,
      token_to: null,
      token_units: null,
      is_withdrawn: false,
    });
  }

  #account(tx: number): Uint8Array {
    return this.#accounts[tx % this.#accounts.length] ?? this.#hash;
  }

  #nonce(tx: number): number {
    return Math.floor(tx / this.#accounts.length);
  }

  /** Bytes as random as a hash, for readers and compressors alike. */
  #drawHash(): Uint8Array {
    for (let at = 0; at < HASH_WORDS; at++) this.#hashWords[at] = this.#random() * 2 ** 32;
    return this.#hash;
  }

  /** mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
