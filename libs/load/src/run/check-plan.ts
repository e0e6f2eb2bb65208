import { fromHex, toHex } from '#chain';
import { DomainError, type Secret } from '#foundation';
import { type AddressBook, DEVELOPMENT_CHAIN_IDS, DEVELOPMENT_SEED } from '../account/account-keys.ts';
import { requireChain } from '../chain/chain-view.ts';
import type { EdgePlan } from '../plan/edge-plan.ts';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';

/** Why an edge does not take a plan. */
export type RefusalReason =
  | 'chain_id_mismatch'
  | 'rpc_unreachable'
  | 'feed_unreachable'
  | 'feed_version'
  | 'accounts_unfunded'
  | 'seed_missing'
  | 'plan_invalid';

/** The reason in a refusal; anything else that went wrong while the RPC was asked is its own. */
export function refusalReasonOf(error: DomainError): RefusalReason {
  const reason = error.details?.['reason'];
  if (typeof reason === 'string') return reason as RefusalReason;
  return error instanceof RpcFailure ? 'rpc_unreachable' : 'plan_invalid';
}

/** The seed of a plan. Throws PLAN_REFUSED when there is none, or it is not for this chain. */
export function seedOf({ seed, chainId }: EdgePlan, fromEnvironment: Secret | undefined): Secret {
  if (seed.fixed === undefined) {
    if (fromEnvironment !== undefined) return fromEnvironment;
    throw refused('seed_missing', `expected the seed in the variable ${seed.env ?? ''} of this edge`);
  }
  if (DEVELOPMENT_CHAIN_IDS.has(chainId)) return DEVELOPMENT_SEED;
  const chains = [...DEVELOPMENT_CHAIN_IDS].join(' or ');
  throw refused(
    'plan_invalid',
    `everybody knows the development seed: expected chain ${chains}, got ${chainId}`,
  );
}

/** Every RPC of the plan serves its chain. Throws PLAN_REFUSED, or RPC_FAILED. */
export async function checkRpcs({ rpcUrls, chainId, rpcTimeoutMs: timeoutMs }: EdgePlan): Promise<void> {
  await Promise.all(
    rpcUrls.map(async (url) => {
      const rpc = new JsonRpc({ url, timeoutMs, connections: 1 });
      try {
        await requireChain(rpc, chainId);
      } finally {
        await rpc.close();
      }
    }),
  );
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
