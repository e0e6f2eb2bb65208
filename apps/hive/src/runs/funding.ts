import { addressOf, toHex } from '#chain';
import { isDevelopmentChain, type Scenario } from '#coordination';
import { DomainError, Secret } from '#foundation';
import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_SEED, fundAccounts, keyOf } from '#load';

/** The hive's environment, of which a scenario may name variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Who pays for a run, and what the keys of its accounts are made of: to pay them, one must know them. */
export interface Purse {
  readonly funderKey: Secret;
  readonly funderAddress: string;
  /** Undefined when nothing is to be paid. */
  readonly seed: Secret | undefined;
}

/** What the scenario names, from the hive's environment. Throws SCENARIO_INVALID for what is not there. */
export function openPurse({ target, accounts }: Scenario, environment: Environment): Purse {
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
  return { funderKey, funderAddress: funderAddressOf(funderKey), seed };
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

/** Fills every account of the run up to `fund_wei`. Rejects as `fundAccounts` does. */
export async function fundRun(
  { target, accounts }: Scenario,
  { funderKey, seed }: Purse,
  onProgress: (funded: number, count: number) => void,
): Promise<void> {
  if (seed === undefined) return;
  const fundWei = BigInt(accounts.fund_wei);
  const [rpcUrl = ''] = target.rpc_urls;
  const book = await AddressBook.derive(seed, 0, accounts.count);
  await fundAccounts({
    rpcUrl,
    rpcTimeoutMs: target.rpc_timeout_ms,
    chainId: target.chain_id,
    funderKey,
    addresses: Array.from({ length: book.count }, (_, at) => book.at(at)),
    fundWei,
    onProgress,
  });
}
