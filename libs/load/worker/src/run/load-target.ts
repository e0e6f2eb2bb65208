import { fromHex, toHex } from '#load/chain';
import { countedText, DomainError, redactedUrl, type Secret } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { readHead, requireChain } from '../funding/chain-view.ts';
import {
  AccountKeys,
  type AddressBook,
  DEVELOPMENT_ACCOUNTS,
  DEVELOPMENT_CHAIN_IDS,
} from '../plan/account-keys.ts';
import { type EdgePlan, readUrlsOf, variableOf } from '../plan/edge-plan.ts';
import { JsonRpc, readBigInt, readNumber, readText } from '../rpc/json-rpc.ts';
import { isOfMethod, RpcFailure } from '../rpc/rpc-reply.ts';
import { type Environment, resolveHeaders } from '../plan/target-headers.ts';
import type { ExpressLaneSender } from '../transaction/express-lane-sender.ts';
import { controllerKeyOf, openExpressLane } from './express-lane-target.ts';

/** The reasons why an edge rejects a plan. */
export type RefusalReason =
  | 'chain_id_mismatch'
  | 'rpc_unreachable'
  | 'rpc_takes_no_transactions'
  | 'feed_unreachable'
  | 'feed_version'
  | 'accounts_unfunded'
  | 'contract_missing'
  | 'seed_missing'
  | 'header_missing'
  | 'controller_key_missing'
  | 'express_lane_unavailable'
  | 'plan_invalid';

/** The reason in a refusal; anything else that went wrong while the RPC was asked is its own. */
export function refusalReasonOf(error: DomainError): RefusalReason {
  const reason = error.details?.['reason'];
  if (typeof reason === 'string') return reason as RefusalReason;
  return error instanceof RpcFailure ? 'rpc_unreachable' : 'plan_invalid';
}

/** The target of a plan, with the edge's accounts and headers for it. */
export class LoadTarget {
  readonly plan: EdgePlan;
  readonly accounts: AccountKeys;
  /** `plan.headers` with the values of the environment. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The connection for all requests other than the load; one server at a time, for consistent answers;
   * transactions go to the URLs of the load. Failed reads are repeated for the time of one exchange.
   */
  readonly rpc: JsonRpc;
  /** Of the express lane, if the plan uses it. */
  readonly #controllerKey: Secret | undefined;

  /** Throws PLAN_REFUSED when keys or a header are missing or invalid, or the seed is not for the chain. */
  constructor(plan: EdgePlan, environment: Environment) {
    this.plan = plan;
    this.headers = resolveHeaders(plan.headers, environment);
    this.accounts = accountsOf(plan, environment);
    this.#controllerKey = controllerKeyOf(plan, environment);
    const { rpcTimeoutMs: timeoutMs } = plan;
    this.rpc = new JsonRpc({
      url: readUrlsOf(plan),
      sendUrl: plan.rpcUrls,
      timeoutMs,
      headers: this.headers,
      patienceMs: timeoutMs,
    });
  }

  /**
   * Checks every reachable RPC of the plan for its purpose: that it serves the chain, where it is read, and
   * that it takes transactions, where it is for these alone (a sequencer may answer nothing else). Of each
   * purpose, at least one must be reachable. Throws PLAN_REFUSED, or RPC_FAILED.
   */
  async checkRpcs(log: Log): Promise<void> {
    const { rpcUrls } = this.plan;
    const readUrls = readUrlsOf(this.plan);
    const unreached = await this.#unreached(readUrls, (rpc) => requireChain(rpc, this.plan.chainId));
    const sendUrls = rpcUrls.filter((url) => !readUrls.includes(url));
    const unsent = await this.#unreached(sendUrls, (rpc, url) => this.#requireSending(rpc, url));
    for (const [url, failure] of unsent) unreached.set(url, failure);
    for (const [url, { message: reason }] of unreached) {
      log.warn({ event: 'load.rpc_unreachable', url: redactedUrl(url), reason }, 'RPC unreachable');
    }
    const isOneReached = (some: readonly string[]): boolean => some.some((url) => !unreached.has(url));
    const [failure] = unreached.values();
    if (failure !== undefined && !(isOneReached(rpcUrls) && isOneReached(readUrls))) throw failure;
  }

  /** The RPCs that serve another chain now, each with its chain id. */
  async otherChains(): Promise<readonly string[]> {
    const { rpcUrls, chainId } = this.plan;
    const urls = [...new Set([...rpcUrls, ...readUrlsOf(this.plan)])];
    const answers = await Promise.all(urls.map((url) => this.#askChain(url)));
    return answers.flatMap((answer, at) =>
      typeof answer === 'number' && answer !== chainId
        ? [`chain id ${answer} at ${redactedUrl(urls[at] ?? '')}`]
        : [],
    );
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
    const isUnpaid = fundWei === 0n;
    const leastWei = isUnpaid ? TRANSFER_GAS * (await readHead(this.rpc)).baseFee : fundWei;
    const poor = (await this.#balancesOf(addresses)).filter((balance) => balance < leastWei).length;
    if (poor === 0) return;
    const who = funder === null ? 'there is no funder' : 'the balance of the funder is too low';
    throw refused(
      'accounts_unfunded',
      `less than ${leastWei} wei${isUnpaid ? ', which a transfer costs,' : ''} on ${poor} of ${countedText(accounts.count, 'account')}, and ${who}`,
    );
  }

  /** Checks that contracts which the run does not create have code. Throws PLAN_REFUSED. */
  async checkContracts(): Promise<void> {
    const given = (this.plan.contracts ?? []).flatMap(({ name, at }) =>
      at === undefined ? [] : [{ name, at }],
    );
    const params = given.map(({ at }) => [at, 'latest']);
    const codes = await this.rpc.callMany('eth_getCode', params, readText);
    const missing = given.filter((_, index) => codes[index] === NO_CODE);
    const [first] = missing;
    if (first === undefined) return;
    throw refused('contract_missing', `contracts.${first.name}: expected code at ${first.at}, got none`);
  }

  /** Undefined if the plan does not use it. Throws PLAN_REFUSED if the target has none. */
  openExpressLane(): Promise<ExpressLaneSender | undefined> {
    return openExpressLane(this.rpc, this.plan, this.#controllerKey);
  }

  /** The URLs that cannot be reached. Throws what `check` throws of the others. */
  async #unreached(
    urls: readonly string[],
    check: (rpc: JsonRpc, url: string) => Promise<void>,
  ): Promise<Map<string, RpcFailure>> {
    const unreached = new Map<string, RpcFailure>();
    await Promise.all(
      urls.map(async (url) => {
        const rpc = this.#clientOf(url);
        try {
          await check(rpc, url);
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

  /** Takes transactions, and serves the chain if it says which. An empty transaction changes nothing. */
  async #requireSending(rpc: JsonRpc, url: string): Promise<void> {
    const served = await unlessRefused(requireChain(rpc, this.plan.chainId));
    const answer = await unlessRefused(rpc.call('eth_sendRawTransaction', [NO_TRANSACTION], (hash) => hash));
    if (!(answer instanceof RpcFailure) || !isWithoutMethod(answer)) return;
    const beside = served instanceof RpcFailure ? ', and does not answer eth_chainId either' : '';
    const message = `${redactedUrl(url)} takes no transactions: ${answer.message}${beside}`;
    throw refused('rpc_takes_no_transactions', message);
  }

  async #askChain(url: string): Promise<number | RpcFailure> {
    const rpc = this.#clientOf(url);
    try {
      return await rpc.call('eth_chainId', [], readNumber);
    } catch (error) {
      if (error instanceof RpcFailure) return error;
      throw error;
    } finally {
      await rpc.close();
    }
  }

  #clientOf(url: string): JsonRpc {
    const { rpcTimeoutMs: timeoutMs } = this.plan;
    return new JsonRpc({ url, timeoutMs, headers: this.headers, connections: 1 });
  }

  #balancesOf(addresses: readonly Uint8Array[]): Promise<readonly bigint[]> {
    const params = addresses.map((address) => [toHex(address), 'latest']);
    return this.rpc.callMany('eth_getBalance', params, readBigInt);
  }
}

const TRANSFER_GAS = 21_000n;
const NO_TRANSACTION = '0x';
/** The answer of `eth_getCode` for an address without a contract. */
const NO_CODE = '0x';

/** The failure if the server refuses the request itself; throws others. */
async function unlessRefused<T>(asked: Promise<T>): Promise<T | RpcFailure> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RpcFailure && isOfMethod(error)) return error;
    throw error;
  }
}

/** A refusal of the method, and not of the empty transaction. */
function isWithoutMethod({ failure }: RpcFailure): boolean {
  return failure === 'method_missing' || failure === 'rpc_http_status';
}

function accountsOf({ seed, chainId, accounts }: EdgePlan, environment: Environment): AccountKeys {
  if (seed.fixed !== undefined) {
    if (DEVELOPMENT_CHAIN_IDS.has(chainId)) return DEVELOPMENT_ACCOUNTS;
    const chains = [...DEVELOPMENT_CHAIN_IDS].join(' or ');
    throw refused('plan_invalid', `the development seed is public: expected chain ${chains}, got ${chainId}`);
  }
  const { variable, kind } = variableOf(seed);
  const text = environment[variable] ?? '';
  if (text === '')
    throw refused('seed_missing', `expected the ${kind} in the variable ${variable} of this edge`);
  try {
    const keys = new AccountKeys({ kind, text });
    const wanted = accounts.first + accounts.count;
    if (keys.countMax >= wanted) return keys;
    throw new DomainError('INVALID_CONFIG', `expected at least ${wanted} keys, got ${keys.countMax}`);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw refused('seed_missing', `the variable ${variable} of this edge: ${error.message}`);
  }
}

function refused(reason: RefusalReason, message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason } });
}
