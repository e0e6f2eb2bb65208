import { fromHex, toHex } from '#load/chain';
import { DomainError, redactedUrl, Secret } from '#platform/foundation';
import { requireChain } from '../funding/chain-view.ts';
import { type AddressBook, DEVELOPMENT_CHAIN_IDS, DEVELOPMENT_SEED } from '../plan/account-keys.ts';
import { type EdgePlan, readUrlsOf } from '../plan/edge-plan.ts';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import type { Environment } from '../plan/target-headers.ts';
import type { RunContext } from './run-context.ts';

/** Why an edge does not take a plan. */
export type RefusalReason =
  | 'chain_id_mismatch'
  | 'rpc_unreachable'
  | 'feed_unreachable'
  | 'feed_version'
  | 'accounts_unfunded'
  | 'seed_missing'
  | 'header_missing'
  | 'plan_invalid';

/** The reason in a refusal; anything else that went wrong while the RPC was asked is its own. */
export function refusalReasonOf(error: DomainError): RefusalReason {
  const reason = error.details?.['reason'];
  if (typeof reason === 'string') return reason as RefusalReason;
  return error instanceof RpcFailure ? 'rpc_unreachable' : 'plan_invalid';
}

/** The seed of a plan. Throws PLAN_REFUSED when there is none, or it is not for this chain. */
export function seedOf({ seed, chainId }: EdgePlan, environment: Environment): Secret {
  if (seed.fixed === undefined) {
    const text = environment[seed.env ?? ''] ?? '';
    if (text !== '') return new Secret(text);
    throw refused('seed_missing', `expected the seed in the variable ${seed.env ?? ''} of this edge`);
  }
  if (DEVELOPMENT_CHAIN_IDS.has(chainId)) return DEVELOPMENT_SEED;
  const chains = [...DEVELOPMENT_CHAIN_IDS].join(' or ');
  throw refused(
    'plan_invalid',
    `everybody knows the development seed: expected chain ${chains}, got ${chainId}`,
  );
}

/**
 * Every RPC of the plan that can be reached serves its chain, and of those to send to and of those to read
 * from one at least can be. Throws PLAN_REFUSED, or RPC_FAILED.
 */
export async function checkRpcs({
  plan,
  headers,
  log,
}: Pick<RunContext, 'plan' | 'headers' | 'log'>): Promise<void> {
  const { rpcUrls, chainId, rpcTimeoutMs: timeoutMs } = plan;
  const readUrls = readUrlsOf(plan);
  const urls = [...new Set([...rpcUrls, ...readUrls])];
  const unreached = new Map<string, RpcFailure>();
  await Promise.all(
    urls.map(async (url) => {
      const rpc = new JsonRpc({ url, timeoutMs, headers, connections: 1 });
      try {
        await requireChain(rpc, chainId);
      } catch (error) {
        if (!(error instanceof RpcFailure) || error.failure !== 'rpc_unreachable') throw error;
        unreached.set(url, error);
      } finally {
        await rpc.close();
      }
    }),
  );
  for (const [url, { message: reason }] of unreached) {
    log.warn({ event: 'load.rpc_unreachable', url: redactedUrl(url), reason }, 'an RPC is not there');
  }
  const isOneReached = (some: readonly string[]): boolean => some.some((url) => !unreached.has(url));
  const [failure] = unreached.values();
  if (failure !== undefined && !(isOneReached(rpcUrls) && isOneReached(readUrls))) throw failure;
}

/** The accounts hold what they should, or the funder has enough for them. Throws PLAN_REFUSED. */
export async function checkFunds(rpc: JsonRpc, { accounts }: EdgePlan, book: AddressBook): Promise<void> {
  const fundWei = BigInt(accounts.fundWei);
  const { funder } = accounts;
  const balancesOf = (addresses: readonly Uint8Array[]): Promise<readonly bigint[]> =>
    rpc.callMany(
      'eth_getBalance',
      addresses.map((address) => [toHex(address), 'latest']),
      readBigInt,
    );
  if (funder !== null) {
    const [held = 0n] = await balancesOf([fromHex(funder.address)]);
    if (held >= fundWei * BigInt(accounts.count)) return;
  }
  const balances = await balancesOf(Array.from({ length: accounts.count }, (_, at) => book.at(at)));
  const poor = balances.filter((balance) => balance < fundWei).length;
  if (poor === 0) return;
  const who = funder === null ? 'there is no funder' : 'the funder has too little for them';
  throw refused(
    'accounts_unfunded',
    `${poor} of ${accounts.count} accounts hold less than ${fundWei} wei, and ${who}`,
  );
}

function refused(reason: RefusalReason, message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason } });
}
