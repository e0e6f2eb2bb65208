/** Reads the account changes of `debug_traceTransaction`, in the format of geth, Nitro, anvil and Erigon. */
import { toQuantity } from '#load/chain';
import {
  attributeFault,
  BalanceReader,
  locateBalanceFault,
  type LocatedFault,
  TransactionTracer,
  type Violation,
} from '#load/oracle';
import { JsonRpc, readBigInt, RpcFailure } from '#load/worker';
import { DomainError } from '#platform/foundation';
import { AccountHistories } from './account-histories.ts';
import type { ChainAddress, FoundViolation } from './telemetry-messages.ts';

/** Balances over JSON-RPC. */
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

/** Traces over JSON-RPC. After the first failure no further traces are requested. */
class RpcTracer extends TransactionTracer {
  readonly #rpc: JsonRpc;
  #refusal: string | undefined;

  constructor(rpc: JsonRpc) {
    super();
    this.#rpc = rpc;
  }

  override async movedBy(hash: string, account: string): Promise<bigint | string> {
    if (this.#refusal !== undefined) return this.#refusal;
    try {
      const read = (trace: unknown): bigint => balanceChange(trace, account);
      return await this.#rpc.call('debug_traceTransaction', [hash, PRESTATE_TRACER], read);
    } catch (error) {
      if (!(error instanceof RpcFailure)) throw error;
      this.#refusal = error.message;
      return error.message;
    }
  }
}

interface Chain {
  readonly balances: RpcBalances;
  readonly tracer: RpcTracer;
}

/**
 * Adds to balance violations the block in which the balance became wrong, and the transaction if it can be
 * determined: by the node's traces, or because there is only one. With several candidates, `calls` lists
 * them, transactions sent by the account first. `note` contains the reasoning. Other violations are
 * unchanged.
 */
export async function locateViolations(
  found: readonly FoundViolation[],
  histories: AccountHistories,
  { rpcUrls: url, rpcTimeoutMs: timeoutMs, headers }: ChainAddress,
): Promise<FoundViolation[]> {
  const rpc = new JsonRpc({ url, timeoutMs, headers, connections: 1 });
  const chain = { balances: new RpcBalances(rpc), tracer: new RpcTracer(rpc) };
  const located: FoundViolation[] = [];
  try {
    for (const { violation, atUs } of found) {
      located.push({ violation: await locate(violation, histories, chain), atUs });
    }
  } finally {
    await rpc.close();
  }
  return located;
}

async function locate(violation: Violation, histories: AccountHistories, chain: Chain): Promise<Violation> {
  const { check, kind, account } = violation;
  if (check !== 'balance') return violation;
  if (kind.startsWith('token_'))
    return { ...violation, note: 'the transaction that moved the units is not located' };
  const history = histories.of(account);
  if (history === undefined) {
    const note = `the transaction is located for the first ${AccountHistories.ACCOUNTS_MAX} accounts only`;
    return { ...violation, note };
  }
  try {
    const fault = await locateBalanceFault(history, chain.balances);
    if (fault === null) return { ...violation, note: 'a repeated request returned the correct balance' };
    return await withPlace(violation, fault, chain.tracer);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return { ...violation, note: `the block could not be located: ${error.message}` };
  }
}

async function withPlace(
  violation: Violation,
  { blockNumber, expectedBalance, observedBalance, candidates }: LocatedFault,
  tracer: TransactionTracer,
): Promise<Violation> {
  const { account } = violation;
  const { culprits, note } = await attributeFault({ account, blockNumber, candidates }, tracer);
  const [culprit] = culprits;
  const shown = culprits.length > 0 ? culprits : candidates;
  return {
    ...violation,
    blockNumber,
    hash: culprit?.hash ?? null,
    nonce: culprit?.isSender === true ? culprit.nonce : null,
    expected: `${expectedBalance} wei`,
    observed: `${observedBalance} wei`,
    note,
    calls: [
      ...[blockNumber - 1, blockNumber].map((block) => ({
        method: 'eth_getBalance',
        params: [account, toQuantity(block)],
      })),
      ...shown.map(({ hash }) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
    ],
  };
}

/** Traces the accounts changed by a transaction, before and after it. */
export const PRESTATE_TRACER = { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as const;

type Members = Readonly<Partial<Record<string, unknown>>>;

/** The change of the account's balance in wei, by the trace. Throws WIRE_FORMAT for an invalid trace. */
export function balanceChange(trace: unknown, account: string): bigint {
  const { pre, post } = membersOf(trace);
  const before = balanceIn(pre, account) ?? 0n;
  // `post` omits unchanged values.
  return (balanceIn(post, account) ?? before) - before;
}

function balanceIn(states: unknown, account: string): bigint | undefined {
  const found = Object.entries(membersOf(states)).find(([address]) => address.toLowerCase() === account);
  const { balance } = found === undefined ? {} : membersOf(found[1]);
  return balance === undefined ? undefined : readBigInt(balance);
}

function membersOf(value: unknown): Members {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw new DomainError('WIRE_FORMAT', 'expected accounts before and after a transaction');
}
