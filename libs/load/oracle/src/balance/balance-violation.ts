import type { ViolationFacts } from '../evidence/violation.ts';

export interface BalanceFault {
  readonly expectedWei: bigint;
  readonly observedWei: bigint;
  /** Pinned blocks between which the money moved. */
  readonly startBlock: number;
  readonly endBlock: number;
}

/**
 * Money that came from nowhere (`credited`) or went nowhere (`debited`); which transaction, is located
 * later.
 */
export function balanceViolation(
  edgeId: string,
  account: string,
  { expectedWei, observedWei, startBlock, endBlock }: BalanceFault,
): ViolationFacts {
  return {
    kind: observedWei > expectedWei ? 'credited' : 'debited',
    edgeId,
    account,
    hash: null,
    nonce: null,
    blockNumber: endBlock,
    expected: `${expectedWei} wei`,
    observed: `${observedWei} wei`,
    receipt: null,
    calls: [startBlock, endBlock].map((block) => ({
      method: 'eth_getBalance',
      params: [account, `0x${block.toString(16)}`],
    })),
  };
}
