import { addressOf, fromHex, toHex } from '#load/chain';
import { isDevelopmentChain, readUrlsOf, type Scenario } from '#load/scenario';
import {
  accountKey,
  AddressBook,
  betweenKeys,
  DEVELOPMENT_FUNDER_KEY,
  DEVELOPMENT_SEED,
  fundAccounts,
  type FundingOptions,
  keyOf,
  reclaim,
  type Reclaimed,
  resolveHeaders,
  type WalletTarget,
} from '#load/worker';
import { DomainError, Secret } from '#platform/foundation';
import type { ChainAddress } from '../telemetry/telemetry-messages.ts';

/** The hive's environment, of which a scenario may name variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Who pays for a run, and what the keys of its accounts are made of: to pay them, one must know them. */
export interface FundingWallet {
  readonly funderKey: Secret;
  readonly funderAddress: string;
  /** Undefined when nothing is to be paid. */
  readonly seed: Secret | undefined;
  /** Of each request to the target, with the values of variables. */
  readonly headers: Readonly<Record<string, string>>;
}

/** What the scenario names, from the hive's environment. Throws SCENARIO_INVALID for what is not there. */
export function openWallet({ target, accounts }: Scenario, environment: Environment): FundingWallet {
  const isDevelopment = isDevelopmentChain(target.chain_id);
  const secretOf = (path: string, name: string | undefined, fallback: Secret): Secret => {
    if (name === undefined && isDevelopment) return fallback;
    const text = environment[name ?? ''];
    if (text !== undefined && text !== '') return new Secret(text);
    throw new DomainError('SCENARIO_INVALID', `scenario: ${path}: the hive has no variable ${name ?? ''}`);
  };
  const funderKey = secretOf('accounts.funder_key_env', accounts.funder_key_env, DEVELOPMENT_FUNDER_KEY);
  const isPaid = accounts.fund_wei !== '0';
  const seed = isPaid ? secretOf('accounts.seed_env', accounts.seed_env, DEVELOPMENT_SEED) : undefined;
  const headers = headersOf(target, environment);
  return { funderKey, funderAddress: funderAddressOf(funderKey), seed, headers };
}

function headersOf(
  { headers }: Scenario['target'],
  environment: Environment,
): Readonly<Record<string, string>> {
  try {
    return resolveHeaders(headers, environment);
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    throw new DomainError('SCENARIO_INVALID', `scenario: target.headers: ${cause.message} of the hive`, {
      cause,
    });
  }
}

function funderAddressOf(key: Secret): string {
  try {
    return toHex(addressOf(keyOf(key)));
  } catch (cause) {
    if (!(cause instanceof DomainError)) throw cause;
    throw new DomainError('SCENARIO_INVALID', `scenario: accounts.funder_key_env: ${cause.message}`, {
      cause,
    });
  }
}

/** The chain as the hive asks it about violations. */
export function chainAddress({ target }: Scenario, { headers }: FundingWallet): ChainAddress {
  return { rpcUrls: readUrlsOf(target), rpcTimeoutMs: target.rpc_timeout_ms, headers };
}

/** Fills every account of the run up to `fund_wei`. Rejects as `fundAccounts` does. */
export async function fundRun(
  scenario: Scenario,
  wallet: FundingWallet,
  listener: Pick<FundingOptions, 'onProgress' | 'onCost'>,
): Promise<void> {
  const { accounts } = scenario;
  if (wallet.seed === undefined) return;
  const book = await AddressBook.derive(wallet.seed, 0, accounts.count);
  await fundAccounts({
    target: walletTarget(scenario, wallet),
    funderKey: wallet.funderKey,
    addresses: Array.from({ length: book.count }, (_, at) => book.at(at)),
    fundWei: BigInt(accounts.fund_wei),
    gasLimit: fixedGasLimit(scenario),
    budgetWei: accounts.budget_wei === undefined ? undefined : BigInt(accounts.budget_wei),
    ...listener,
  });
}

/**
 * Sends what the accounts of a run hold back to the funder, and what a crash has left on the accounts in
 * between. Undefined when the run was not paid for here. Rejects with RPC_FAILED.
 */
export async function reclaimRun(scenario: Scenario, wallet: FundingWallet): Promise<Reclaimed | undefined> {
  const { seed, funderKey, funderAddress } = wallet;
  if (seed === undefined) return undefined;
  const { count } = scenario.accounts;
  const book = await AddressBook.derive(seed, 0, count);
  const between = betweenKeys(funderKey);
  return reclaim({
    target: walletTarget(scenario, wallet),
    to: fromHex(funderAddress),
    addresses: [...Array.from({ length: count }, (_, at) => book.at(at)), ...between.map(addressOf)],
    keyOf: (position) => between[position - count] ?? accountKey(seed, position),
    gasLimit: fixedGasLimit(scenario),
  });
}

function walletTarget({ target, fees }: Scenario, { headers }: FundingWallet): WalletTarget {
  return {
    url: readUrlsOf(target),
    timeoutMs: target.rpc_timeout_ms,
    headers,
    chainId: target.chain_id,
    priorityFee: BigInt(fees.priority_fee_wei),
  };
}

/** Undefined: it is asked for. */
function fixedGasLimit({ fees: { gas_limit: gasLimit } }: Scenario): bigint | undefined {
  return gasLimit === 'estimate' ? undefined : BigInt(gasLimit);
}
