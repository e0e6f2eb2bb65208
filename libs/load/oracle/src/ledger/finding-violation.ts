/**
 * The effect of each kind of finding: a violation of a check, a mark on accounts, or only its count.
 */
import type { BatchOf, FindingKind } from '#load/telemetry';
import { hexOrNull, numberOrNull, textAt, textOrNull } from './row-value.ts';
import type { Check, JsonRpcCall, ViolationFacts } from '../evidence/verdict.ts';

export const VIOLATED_BY: Readonly<Partial<Record<FindingKind, Check>>> = {
  executed_twice: 'nonce',
  feed_block_hash: 'nonce',
  feed_not_in_block: 'nonce',
  feed_omitted: 'nonce',
  feed_order: 'nonce',
  feed_signature: 'nonce',
  feed_without_block: 'nonce',
  block_gas_sum: 'gas',
  cumulative_gas: 'gas',
  receipt_place: 'gas',
  receipt_count: 'gas',
  contract_address: 'gas',
  receipt_fields: 'gas',
  contract_code: 'gas',
  sync_receipt: 'gas',
  express_lane_order: 'nonce',
  timeboosted_wrong: 'nonce',
  condition_broken: 'nonce',
};

/** The account of findings about a whole block. */
const NO_ACCOUNT = `0x${'0'.repeat(40)}`;

/** An edge's finding as a violation, with the calls that reproduce it. */
export function findingViolation(
  edgeId: string,
  { columns }: BatchOf<'findings'>,
  row: number,
): ViolationFacts {
  const hash = hexOrNull(columns.hash, row);
  const blockNumber = numberOrNull(columns.block_number, row);
  const sequence = numberOrNull(columns.sequence_number, row);
  const message = sequence === null ? '' : ` in feed message ${sequence}`;
  return {
    kind: textAt(columns.kind, row),
    edgeId,
    account: hexOrNull(columns.account, row) ?? NO_ACCOUNT,
    hash,
    nonce: numberOrNull(columns.nonce, row),
    blockNumber,
    expected: textOrNull(columns.expected, row) ?? '',
    observed: `${textOrNull(columns.observed, row) ?? ''}${message}`,
    receipt: textOrNull(columns.receipt_json, row),
    calls: callsFor(hash, blockNumber),
  };
}

function callsFor(hash: string | null, blockNumber: number | null): readonly JsonRpcCall[] {
  const calls: JsonRpcCall[] = [];
  if (hash !== null) calls.push({ method: 'eth_getTransactionReceipt', params: [hash] });
  if (blockNumber === null) return calls;
  const block = `0x${blockNumber.toString(16)}`;
  return [
    ...calls,
    { method: 'eth_getBlockByNumber', params: [block, false] },
    { method: 'eth_getBlockReceipts', params: [block] },
  ];
}
