import { fromHex, toHex } from '#load/chain';
import { DomainError, redactedUrl, Secret } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { requireChain } from '../funding/chain-view.ts';
import { type AddressBook, DEVELOPMENT_CHAIN_IDS, DEVELOPMENT_SEED } from '../plan/account-keys.ts';
import { type EdgePlan, readUrlsOf } from '../plan/edge-plan.ts';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { type Environment, resolveHeaders } from '../plan/target-headers.ts';

/** The reasons why an edge rejects a plan. */
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

/** The target of a plan, with the edge's seed and headers for it. */
export class LoadTarget {
  readonly plan: EdgePlan;
  readonly seed: Secret;
  /** `plan.headers` with the values of the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * For all requests other than the load; one server at a time, for consistent answers. Failed reads are
   * repeated for the time of one exchange.
   */
  readonly rpc: JsonRpc;

  /** Throws PLAN_REFUSED when the seed or a header is missing, or the seed is not for this chain. */
  constructor(plan: EdgePlan, environment: Environment) {
    this.plan = plan;
    this.headers = resolveHeaders(plan.headers, environment);
    this.seed = seedOf(plan, environment);
    const { rpcTimeoutMs: timeoutMs } = plan;
    this.rpc = new JsonRpc({
      ...{ url: readUrlsOf(plan), timeoutMs, headers: this.headers },
      patienceMs: timeoutMs,
    });
  }

  /**
   * Checks that every reachable RPC of the plan serves its chain, and that at least one for sending and one
   * for reading is reachable. Throws PLAN_REFUSED, or RPC_FAILED.
   */
  async checkRpcs(log: Log): Promise<void> {
    const { rpcUrls } = this.plan;
    const readUrls = readUrlsOf(this.plan);
    const unreached = await this.#unreached([...new Set([...rpcUrls, ...readUrls])]);
    for (const [url, { message: reason }] of unreached) {
      log.warn({ event: 'load.rpc_unreachable', url: redactedUrl(url), reason }, 'RPC unreachable');
    }
    const isOneReached = (some: readonly string[]): boolean => some.some((url) => !unreached.has(url));
    const [failure] = unreached.values();
    if (failure !== undefined && !(isOneReached(rpcUrls) && isOneReached(readUrls))) throw failure;
  }

  /** Checks that the accounts, or else the funder, have enough funds. Throws PLAN_REFUSED. */
  async checkFunds(book: AddressBook): Promise<void> {
    const { accounts } = this.plan;
    const fundWei = BigInt(accounts.fundWei);
    const { funder } = accounts;
    if (funder !== null) {
      const [held = 0n] = await this.#balancesOf([fromHex(funder.address)]);
      if (held >= fundWei * BigInt(accounts.count)) return;
    }
    const addresses = Array.from({ length: accounts.count }, (_, at) => book.at(at));
    const poor = (await this.#balancesOf(addresses)).filter((balance) => balance < fundWei).length;
    if (poor === 0) return;
    const who = funder === null ? 'there is no funder' : 'the balance of the funder is too low';
    throw refused(
      'accounts_unfunded',
      `${poor} of ${accounts.count} accounts hold less than ${fundWei} wei, and ${who}`,
    );
  }

  async #unreached(urls: readonly string[]): Promise<ReadonlyMap<string, RpcFailure>> {
    const { chainId, rpcTimeoutMs: timeoutMs } = this.plan;
    const unreached = new Map<string, RpcFailure>();
    await Promise.all(
      urls.map(async (url) => {
        const rpc = new JsonRpc({ url, timeoutMs, headers: this.headers, connections: 1 });
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
    return unreached;
  }

  #balancesOf(addresses: readonly Uint8Array[]): Promise<readonly bigint[]> {
    const params = addresses.map((address) => [toHex(address), 'latest']);
    return this.rpc.callMany('eth_getBalance', params, readBigInt);
  }
}

function seedOf({ seed, chainId }: EdgePlan, environment: Environment): Secret {
  if (seed.fixed === undefined) {
    const text = environment[seed.env ?? ''] ?? '';
    if (text !== '') return new Secret(text);
    throw refused('seed_missing', `expected the seed in the variable ${seed.env ?? ''} of this edge`);
  }
  if (DEVELOPMENT_CHAIN_IDS.has(chainId)) return DEVELOPMENT_SEED;
  const chains = [...DEVELOPMENT_CHAIN_IDS].join(' or ');
  throw refused('plan_invalid', `the development seed is public: expected chain ${chains}, got ${chainId}`);
}

function refused(reason: RefusalReason, message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason } });
}
