import type { Violation } from '../evidence/violation.ts';
import type { GasFault } from './gas-rules.ts';

type Transaction = Pick<Violation, 'account' | 'hash' | 'nonce' | 'blockNumber' | 'receipt'>;

export function gasViolation(
  edgeId: string,
  transaction: Transaction,
  { kind, expected, observed }: GasFault,
): Omit<Violation, 'check'> {
  const calls = [{ method: 'eth_getTransactionReceipt', params: [transaction.hash] }];
  const what = kind.startsWith('price') ? 'wei a unit' : 'gas';
  return {
    ...{ kind, edgeId, ...transaction },
    expected: `${what} ${expected}`,
    observed: `${what} ${observed}`,
    calls,
  };
}
