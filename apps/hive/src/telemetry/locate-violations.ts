import { toQuantity } from '#chain';
import { JsonRpc, readBigInt, RpcFailure } from '#load';
import { BalanceReader, type LocatedFault, locateBalanceFault, type Violation } from '#oracle';
import type { AccountHistories } from './account-histories.ts';
import type { ChainAddress, FoundViolation } from './telemetry-messages.ts';

/** The chain over JSON-RPC. */
class RpcBalances extends BalanceReader {
  readonly #rpc: JsonRpc;

  constructor(rpc: JsonRpc) {
    super();
    this.#rpc = rpc;
  }

  override balanceAt(account: string, blockNumber: number): Promise<bigint> {
    return this.#rpc.call('eth_getBalance', [account, toQuantity(blockNumber)], readBigInt);
  }
}

/**
 * The same violations; those of balances with the block in which the money went wrong, and the transaction
 * where there is only one. Where there are several, the calls name them, the account's own first. A chain
 * that does not answer, or keeps no history, leaves them as they are.
 */
export async function locateViolations(
  found: readonly FoundViolation[],
  histories: AccountHistories,
  { rpcUrls: url, rpcTimeoutMs: timeoutMs, headers }: ChainAddress,
): Promise<FoundViolation[]> {
  const rpc = new JsonRpc({ url, timeoutMs, headers, connections: 1 });
  const located: FoundViolation[] = [];
  try {
    for (const { violation, atUs } of found) {
      located.push({ violation: await locate(violation, histories, new RpcBalances(rpc)), atUs });
    }
  } finally {
    await rpc.close();
  }
  return located;
}

async function locate(
  violation: Violation,
  histories: AccountHistories,
  chain: BalanceReader,
): Promise<Violation> {
  const history = violation.check === 'balance' ? histories.of(violation.account) : undefined;
  if (history === undefined) return violation;
  try {
    const fault = await locateBalanceFault(history, chain);
    return fault === null ? violation : withPlace(violation, fault);
  } catch (error) {
    if (error instanceof RpcFailure) return violation;
    throw error;
  }
}

function withPlace(
  violation: Violation,
  { blockNumber, expectedWei, observedWei, candidates }: LocatedFault,
): Violation {
  const [candidate, ...others] = candidates;
  const isNamed = candidate !== undefined && others.length === 0;
  return {
    ...violation,
    blockNumber,
    hash: isNamed ? candidate.hash : null,
    nonce: isNamed && candidate.isSender ? candidate.nonce : null,
    expected: `${expectedWei} wei`,
    observed: `${observedWei} wei`,
    calls: [
      ...[blockNumber - 1, blockNumber].map((block) => ({
        method: 'eth_getBalance',
        params: [violation.account, toQuantity(block)],
      })),
      ...candidates.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    ],
  };
}
