import type { ViolationFacts } from '../evidence/violation.ts';
import type { GasFault } from './gas-rules.ts';

type Transaction = Pick<ViolationFacts, 'account' | 'hash' | 'nonce' | 'blockNumber' | 'receipt'>;

export function gasViolation(
  edgeId: string,
  transaction: Transaction,
  { kind, expected, observed }: GasFault,
): ViolationFacts {
  const calls = [{ method: 'eth_getTransactionReceipt', params: [transaction.hash] }];
  const what = kind.startsWith('price') ? 'wei a unit' : 'gas';
  return {
    ...{ kind, edgeId, ...transaction },
    expected: `${what} ${expected}`,
    observed: `${what} ${observed}`,
    calls,
  };
}
