import type { BatchOf } from '#load/telemetry';
import { hexOrNull, numberOrNull, textAt, textOrNull } from '../account/row-value.ts';
import type { JsonRpcCall, ViolationFacts } from '../evidence/violation.ts';

/** Where no account is meant, but a block as a whole. */
const NO_ACCOUNT = `0x${'0'.repeat(40)}`;

/** What an edge found, with the calls that show it again. */
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
