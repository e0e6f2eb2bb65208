import type { RowOf } from '../../libs/telemetry/src/index.ts';

export type Record = <T extends 'transactions' | 'feed' | 'receipts'>(table: T, row: RowOf<T>) => void;

interface Kind {
  readonly kind: string;
  /** Of 100 transactions. */
  readonly weight: number;
  readonly gas: number;
}

const KINDS: readonly Kind[] = [
  { kind: 'transfer', weight: 80, gas: 21_000 },
  { kind: 'erc20_transfer', weight: 15, gas: 51_234 },
  { kind: 'deploy', weight: 1, gas: 310_022 },
  { kind: 'calldata', weight: 4, gas: 38_112 },
];
const START_US = 1_795_270_510_000_000;
const MEAN_GAP_US = 1_000;
const TXS_A_MESSAGE = 8;
const HASH_WORDS = 8;

/** What an edge at 1,000 transactions a second has to tell: three events for each, one for each message. */
export class SimulatedEdge {
  readonly #accounts: readonly Uint8Array[];
  #state: number;
  #tx = 0;
  #nowUs = START_US;

  constructor(number: number, accounts: number, seed: number) {
    this.#state = (seed * 8_191 + number * 131 + 1) >>> 0;
    this.#accounts = Array.from({ length: accounts }, () => this.#bytes(20));
  }

  /** Records the next transaction's events; gives their number. */
  next(record: Record): number {
    const tx = this.#tx++;
    this.#nowUs += Math.floor(this.#random() * 2 * MEAN_GAP_US);
    const message = Math.floor(tx / TXS_A_MESSAGE);
    const place = { block_number: message, tx_index: tx % TXS_A_MESSAGE };
    const own = {
      account: this.#accounts[tx % this.#accounts.length] ?? new Uint8Array(20),
      nonce: Math.floor(tx / this.#accounts.length),
      hash: this.#bytes(HASH_WORDS * 4),
    };
    const feedUs = this.#nowUs + 250_000 + Math.floor(this.#random() * 1_000);
    const isFirst = place.tx_index === 0;
    if (isFirst) record('feed', this.#message(feedUs, message));
    record('feed', { ...this.#message(feedUs, message), ...own, ...place, tx_count: null, bytes: null });
    this.#recordSettled(record, { tx, feedUs, message, place, own });
    return isFirst ? 4 : 3;
  }

  #recordSettled(
    record: Record,
    {
      tx,
      feedUs,
      message,
      place,
      own,
    }: {
      tx: number;
      feedUs: number;
      message: number;
      place: Pick<RowOf<'receipts'>, 'block_number' | 'tx_index'>;
      own: Pick<RowOf<'receipts'>, 'account' | 'nonce' | 'hash'>;
    },
  ): void {
    const { kind, gas } = this.#kind();
    const sentUs = this.#nowUs + Math.floor(this.#random() * 300);
    record('transactions', {
      tx,
      stage: 1,
      kind,
      expect: null,
      ...own,
      intended_us: this.#nowUs,
      sent_us: sentUs,
      acked_us: feedUs + Math.floor(this.#random() * 9_000),
      feed_us: feedUs,
      outcome: 'included',
      error_class: null,
      feed_sequence: message,
      block_number: message,
      is_excluded: false,
    });
    record('receipts', {
      ...place,
      ...own,
      to: kind === 'deploy' ? null : (this.#accounts[(tx + 1) % this.#accounts.length] ?? null),
      kind,
      value_wei: kind === 'transfer' ? 1n : 0n,
      gas_limit: Math.floor(gas * 1.2),
      max_fee_wei: 300_000_000n,
      status: 1,
      gas_used: gas,
      gas_used_l1: null,
      effective_gas_price: 100_000_000n,
      receipt_json: null,
    });
  }

  #message(receivedUs: number, message: number): RowOf<'feed'> {
    return {
      received_us: receivedUs,
      sequence_number: message,
      tx_index: -1,
      tx_count: TXS_A_MESSAGE,
      bytes: 900 + Math.floor(this.#random() * 100),
      flags: 0,
      block_number: message,
      account: null,
      nonce: null,
      hash: null,
    };
  }

  #kind(): Kind {
    let rest = this.#random() * 100;
    return KINDS.find(({ weight }) => (rest -= weight) < 0) ?? { kind: 'transfer', weight: 0, gas: 21_000 };
  }

  /** As random as a hash, for readers and compressors alike. */
  #bytes(length: number): Uint8Array {
    const words = new Uint32Array(length / 4);
    for (let at = 0; at < words.length; at++) words[at] = this.#random() * 2 ** 32;
    return new Uint8Array(words.buffer);
  }

  /** mulberry32. */
  #random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}
