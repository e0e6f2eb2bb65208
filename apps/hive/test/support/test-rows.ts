import { build, encodeIntoCompressedBase64 } from 'hdr-histogram-js';
import type { RowOf } from '#load/telemetry';

const ACCOUNT = new Uint8Array(20).fill(7);
const HASH = new Uint8Array(32).fill(9);

/** A receipt that used more gas than its limit. */
export const GREEDY_RECEIPT: RowOf<'receipts'> = {
  block_number: 5,
  tx_index: 0,
  hash: HASH,
  account: ACCOUNT,
  nonce: 0,
  to: ACCOUNT,
  kind: 'transfer',
  value_wei: 1n,
  gas_limit: 21_000,
  max_fee_wei: 100n,
  status: 1,
  gas_used: 21_001,
  gas_used_l1: null,
  effective_gas_price: 100n,
  receipt_json: '{"status":"0x1"}',
  base_fee_wei: 100n,
  tip_wei: 0n,
  token_to: null,
  token_units: null,
  is_withdrawn: false,
};

export function transaction(tx: number): RowOf<'transactions'> {
  return {
    tx,
    stage: 0,
    kind: 'transfer',
    expect: null,
    account: ACCOUNT,
    nonce: tx,
    hash: HASH,
    intended_us: 1_000_000 + tx,
    sent_us: 1_000_100 + tx,
    acked_us: 1_200_000 + tx,
    feed_us: 1_150_000 + tx,
    outcome: 'included',
    error_class: null,
    feed_sequence: 1,
    block_number: 5,
    is_excluded: false,
    block_us: 1_160_000 + tx,
    type: 2,
    way: 'raw',
    timeboosted: false,
    block_index: 0,
    block_size: 1,
  };
}

/** Latencies in the encoding of an edge. */
export function histogramOf(...valuesUs: readonly number[]): Uint8Array {
  const histogram = build({ bitBucketSize: 32, numberOfSignificantValueDigits: 3, autoResize: true });
  for (const value of valuesUs) histogram.recordValue(value);
  return Buffer.from(encodeIntoCompressedBase64(histogram), 'base64');
}
