/**
 * What follows from each kind of finding: a violation of a check, a mark on accounts, or nothing but its
 * count.
 */
import type { FindingKind } from '#load/telemetry';
import type { Check } from '../evidence/violation.ts';

export const VIOLATED_BY: Readonly<Partial<Record<FindingKind, Check>>> = {
  executed_twice: 'nonce',
  feed_block_hash: 'nonce',
  feed_not_in_block: 'nonce',
  feed_omitted: 'nonce',
  feed_order: 'nonce',
  feed_signature: 'nonce',
  block_gas_sum: 'gas',
  cumulative_gas: 'gas',
  receipt_place: 'gas',
  receipt_count: 'gas',
  contract_address: 'gas',
};
