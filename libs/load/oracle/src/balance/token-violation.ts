import type { ViolationFacts } from '../evidence/violation.ts';
import type { BalanceFault } from './balance-violation.ts';

/** `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';
const PADDING = '0'.repeat(24);

/** Units of the token that came from nowhere, or went nowhere. Amounts are units. */
export function tokenViolation(
  edgeId: string,
  account: string,
  { expectedWei, observedWei, startBlock, endBlock, token }: BalanceFault & { readonly token: string },
): ViolationFacts {
  const call = { to: token, data: `${BALANCE_OF}${PADDING}${account.slice(2)}` };
  return {
    kind: observedWei > expectedWei ? 'token_credited' : 'token_debited',
    edgeId,
    account,
    hash: null,
    nonce: null,
    blockNumber: endBlock,
    expected: `${expectedWei} units`,
    observed: `${observedWei} units`,
    receipt: null,
    calls: [startBlock, endBlock].map((block) => ({
      method: 'eth_call',
      params: [call, `0x${block.toString(16)}`],
    })),
  };
}
