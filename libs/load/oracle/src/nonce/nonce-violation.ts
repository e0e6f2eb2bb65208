import type { JsonRpcCall, ViolationFacts } from '../evidence/violation.ts';
import type { NonceFault } from './nonce-track.ts';

/** The fault with what an engineer needs to see it again. */
export function nonceViolation(
  edgeId: string,
  account: string,
  { kind, expected, observed, hash, blockNumber }: NonceFault,
): ViolationFacts {
  const calls: JsonRpcCall[] = [{ method: 'eth_getTransactionCount', params: [account, 'latest'] }];
  if (hash !== null) calls.unshift({ method: 'eth_getTransactionByHash', params: [hash] });
  return {
    kind,
    edgeId,
    account,
    hash,
    nonce: observed,
    blockNumber,
    expected: `nonce ${expected}`,
    observed: `nonce ${observed}`,
    receipt: null,
    calls,
  };
}
