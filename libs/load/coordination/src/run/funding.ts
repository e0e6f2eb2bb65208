import { addressOf, fromHex, toHex } from '#load/chain';
import { hasOwnAccounts, isDevelopmentChain, readUrlsOf, type Scenario, sendUrlsOf } from '#load/scenario';
import {
  AccountKeys,
  AddressBook,
  betweenKeys,
  type ContractsMade,
  DEVELOPMENT_FUNDER_KEY,
  DEVELOPMENT_ACCOUNTS,
  fundAccounts,
  type FundingOptions,
  keyOf,
  reclaim,
  type Reclaimed,
  leftText,
  reclaimedFields,
  resolveHeaders,
  setUpContracts,
  type SetupOptions,
  type WalletTarget,
} from '#load/worker';
import { assert, DomainError, Secret, Turns } from '#platform/foundation';
import type { Log } from '#platform/observability';
import type { ChainAddress } from '../telemetry/telemetry-messages.ts';
import { contractSources } from './contract-plans.ts';
import type { Run } from './run.ts';

/** The hive's environment, whose variables a scenario can name. */
export type FundingEnvironment = Readonly<Record<string, string | undefined>>;

/** The account that pays for a run, and receives what remains. */
interface Funder {
  readonly key: Secret;
  readonly address: string;
}

/** The funder of a run, and the keys of its accounts. */
export interface FundingWallet {
  /** Undefined if the scenario names none, and needs none. */
  readonly funder: Funder | undefined;
  /** Undefined if the hive neither funds the accounts nor returns what remains on them. */
  readonly accounts: AccountKeys | undefined;
  /** Headers of each request to the target, with variables resolved. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Resolves the scenario's variables from the hive's environment. Throws SCENARIO_INVALID for a missing one.
 */
export function openWallet(scenario: Scenario, environment: FundingEnvironment): FundingWallet {
  const { target, accounts } = scenario;
  const isDevelopment = isDevelopmentChain(target.chain_id);
  const key = funderKeyOf(accounts.funder_key_env, isDevelopment, environment);
  const headers = headersOf(target, environment);
  const keys = needsKeys(scenario) ? accountKeysOf(accounts, isDevelopment, environment) : undefined;
  return { funder: key && { key, address: funderAddressOf(key) }, accounts: keys, headers };
}

function funderKeyOf(
  name: string | undefined,
  isDevelopment: boolean,
  environment: FundingEnvironment,
): Secret | undefined {
  if (name === undefined) return isDevelopment ? DEVELOPMENT_FUNDER_KEY : undefined;
  const text = environment[name] ?? '';
  if (text !== '') return new Secret(text);
  const message = `scenario: accounts.funder_key_env: the hive has no variable ${name}`;
  throw new DomainError('SCENARIO_INVALID', message);
}

/** The scenario's check has found that it names a funder if it needs one. */
function funderOf({ funder }: FundingWallet): Funder {
  assert(funder !== undefined, 'what pays and takes has a funder');
  return funder;
}

const KEY_VARIABLES = [
  ['mnemonic_env', 'mnemonic'],
  ['keys_env', 'keys'],
  ['seed_env', 'seed'],
] as const;

/** Whether the hive pays to the accounts, takes what remains on them, or calls contracts from them. */
function needsKeys({ accounts, setup }: Scenario): boolean {
  const isReturned = hasOwnAccounts(accounts) && accounts.reclaim;
  return accounts.fund_wei !== '0' || isReturned || setup.some(({ from }) => from === 'accounts');
}

/** Throws SCENARIO_INVALID, without the text of a variable. */
function accountKeysOf(
  accounts: Scenario['accounts'],
  isDevelopment: boolean,
  environment: FundingEnvironment,
): AccountKeys {
  const [key, kind] = KEY_VARIABLES.find(([name]) => accounts[name] !== undefined) ?? ['seed_env', 'seed'];
  const name = accounts[key];
  if (name === undefined && isDevelopment) return DEVELOPMENT_ACCOUNTS;
  const text = environment[name ?? ''] ?? '';
  const fault = (message: string): DomainError =>
    new DomainError('SCENARIO_INVALID', `scenario: accounts.${key}: ${message}`);
  if (text === '') throw fault(`the hive has no variable ${name ?? ''}`);
  const keys = keysIn({ kind, text }, fault);
  if (keys.countMax >= accounts.count) return keys;
  throw fault(`expected accounts.count keys, ${accounts.count}, got ${keys.countMax}`);
}

function keysIn(
  secret: ConstructorParameters<typeof AccountKeys>[0],
  fault: (message: string) => DomainError,
): AccountKeys {
  try {
    return new AccountKeys(secret);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw fault(error.message);
  }
}

function headersOf(
  { headers }: Scenario['target'],
  environment: FundingEnvironment,
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

/** The chain on which the hive looks up violations. */
function chainAddress({ target }: Scenario, { headers }: FundingWallet): ChainAddress {
  return { rpcUrls: readUrlsOf(target), rpcTimeoutMs: target.rpc_timeout_ms, headers };
}

/**
 * Fills every account of the run up to `fund_wei`; returns the most that it can have cost. Rejects as
 * `fundAccounts` does.
 */
async function fundRun(
  { scenario, accounts: { first, count } }: Pick<Run, 'scenario' | 'accounts'>,
  wallet: FundingWallet,
  listener: Pick<FundingOptions, 'onProgress' | 'onCost' | 'signal'>,
): Promise<bigint> {
  const { accounts } = scenario;
  if (wallet.accounts === undefined || accounts.fund_wei === '0') return 0n;
  const book = await AddressBook.derive(wallet.accounts, first, count);
  const { mostWei } = await fundAccounts({
    target: walletTarget(scenario, wallet),
    funderKey: funderOf(wallet).key,
    addresses: Array.from({ length: book.count }, (_, at) => book.at(at)),
    fundWei: BigInt(accounts.fund_wei),
    gasLimit: fixedGasLimit(scenario),
    budgetWei: budgetOf(scenario),
    ...listener,
  });
  return mostWei;
}

/** Creates the contracts of the run, and executes its setup. Rejects as `setUpContracts` does. */
async function setUpRun(
  { scenario, accounts: { first, count } }: Pick<Run, 'scenario' | 'accounts'>,
  wallet: FundingWallet,
  more: Pick<SetupOptions, 'mostWei' | 'onCost' | 'signal'>,
): Promise<ContractsMade> {
  const { accounts: keys } = wallet;
  const book = keys === undefined ? undefined : await AddressBook.derive(keys, first, count);
  return setUpContracts({
    accounts:
      keys === undefined || book === undefined
        ? undefined
        : { book, keyOf: (position) => keys.keyOf(first + position) },
    target: walletTarget(scenario, wallet),
    funderKey: wallet.funder?.key,
    contracts: contractSources(scenario),
    steps: scenario.setup.map(({ value_wei: valueWei, gas_limit: gasLimit, ...step }) => {
      return { ...step, valueWei, gasLimit };
    }),
    budgetWei: budgetOf(scenario),
    ...more,
  });
}

function budgetOf({ accounts }: Scenario): bigint | undefined {
  return accounts.budget_wei === undefined ? undefined : BigInt(accounts.budget_wei);
}

/**
 * Sends the balances of a run's accounts, which the result counts, and of intermediate accounts left by a
 * crash, back to the funder.
 * Undefined if the hive does not have their keys. Rejects with RPC_FAILED.
 */
export async function reclaimRun(
  { scenario, accounts: { first, count } }: Pick<Run, 'scenario' | 'accounts'>,
  wallet: FundingWallet,
  signal?: AbortSignal,
): Promise<Reclaimed | undefined> {
  const { accounts: keys } = wallet;
  if (keys === undefined) return undefined;
  const funder = funderOf(wallet);
  const book = await AddressBook.derive(keys, first, count);
  const between = betweenKeys(funder.key);
  const done = await reclaim({
    target: walletTarget(scenario, wallet),
    to: fromHex(funder.address),
    addresses: [...Array.from({ length: count }, (_, at) => book.at(at)), ...between.map(addressOf)],
    keyOf: (position) => between[position - count] ?? keys.keyOf(first + position),
    gasLimit: fixedGasLimit(scenario),
    ...(signal !== undefined && { signal }),
  });
  return { ...done, accounts: count };
}

function walletTarget({ target, fees }: Scenario, { headers }: FundingWallet): WalletTarget {
  return {
    url: readUrlsOf(target),
    sendUrl: sendUrlsOf(target),
    timeoutMs: target.rpc_timeout_ms,
    headers,
    chainId: target.chain_id,
    priorityFee: BigInt(fees.priority_fee_wei),
  };
}

/** Undefined if the gas limit is estimated. */
function fixedGasLimit({ fees: { gas_limit: gasLimit } }: Scenario): bigint | undefined {
  return gasLimit === 'estimate' ? undefined : BigInt(gasLimit);
}

/**
 * Whose turn it is to pay from a funder: two runs at once would use one nonce of it, or of the accounts
 * between it and theirs, twice.
 */
export class FunderTurns {
  readonly #turns = new Map<string, Turns>();

  /** The funders from which a run pays, or waits to. */
  get size(): number {
    return this.#turns.size;
  }

  /** Runs the work at once without a funder. */
  async take<Value>(funder: Funder | undefined, work: () => Promise<Value>): Promise<Value> {
    if (funder === undefined) return work();
    const { address } = funder;
    const turns = this.#turns.get(address) ?? new Turns(Infinity);
    this.#turns.set(address, turns);
    try {
      return await turns.run(work);
    } finally {
      if (!turns.isTaken && this.#turns.get(address) === turns) this.#turns.delete(address);
    }
  }
}

/** Funds the accounts of a run, and reclaims their remaining balances. */
export class RunFunding {
  readonly #run: Run;
  readonly #wallet: FundingWallet;
  readonly #log: Log;
  readonly #turns: FunderTurns;
  /** Time limit of the reclaim after a failed or degraded run, once it is its turn. */
  readonly #reclaimMs: number;

  constructor(run: Run, wallet: FundingWallet, turns: FunderTurns, log: Log, reclaimMs: number) {
    this.#run = run;
    this.#wallet = wallet;
    this.#turns = turns;
    this.#log = log;
    this.#reclaimMs = reclaimMs;
  }

  get chain(): ChainAddress {
    return chainAddress(this.#run.scenario, this.#wallet);
  }

  /**
   * Funds the accounts, then creates the contracts and executes the setup. Rejects as `fundAccounts` and
   * `setUpContracts` do, also after the signal. Reports the maximum cost before it pays.
   */
  async fund(signal: AbortSignal): Promise<void> {
    await this.#turns.take(this.#wallet.funder, async () => {
      signal.throwIfAborted();
      await this.#fund(signal);
    });
  }

  async #fund(signal: AbortSignal): Promise<void> {
    const run = this.#run;
    const onCost = (mostWei: bigint): void => {
      run.learned({ type: 'cost_known', mostWei });
      this.#log.info(
        { event: 'run.cost', run_id: run.runId, most_wei: String(mostWei) },
        'maximum cost of the run computed, fees included',
      );
    };
    const mostWei = await fundRun(run, this.#wallet, {
      signal,
      onProgress: (funded, count) => run.learned({ type: 'accounts_funded', funded, count }),
      onCost,
    });
    if (Object.keys(run.scenario.contracts).length === 0) return;
    const made = await setUpRun(run, this.#wallet, { mostWei, onCost, signal });
    run.learned({ type: 'contracts_made', made });
    const fields = { event: 'run.contracts_made', run_id: run.runId, ...made.setup.contracts };
    this.#log.info(fields, 'contracts created, and setup executed');
  }

  /** Reclaims the balances left by edges that did not finish, or that could not return them. */
  async reclaim(): Promise<void> {
    const { runId } = this.#run;
    if (!owesMoney(this.#run)) return;
    const fields = { run_id: runId };
    try {
      const done = await this.#turns.take(this.#wallet.funder, () =>
        within(this.#reclaimMs, (signal) => reclaimRun(this.#run, this.#wallet, signal)),
      );
      if (done === undefined) {
        if (this.#run.notReclaimed !== null) this.#findLeft(this.#run.notReclaimed);
        return;
      }
      if (done.leftAccounts > 0) {
        this.#log.warn(
          { event: 'run.not_reclaimed', ...fields, ...reclaimedFields(done) },
          'remaining balances not returned to the funder',
        );
        this.#findLeft(leftText(done));
        return;
      }
      this.#log.info(
        { event: 'run.reclaimed', ...fields, ...reclaimedFields(done) },
        'remaining balances returned to the funder',
      );
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      this.#log.warn(
        { event: 'run.not_reclaimed', err: error, ...fields },
        'remaining balances not returned to the funder',
      );
      this.#findLeft(error.message);
    }
  }

  #findLeft(reason: string): void {
    const flag = hasOwnAccounts(this.#run.scenario.accounts) ? ' --own-accounts' : '';
    const command = `plexus-hive sweep ${this.#run.runId}${flag}`;
    const message = `ether of the funder remains on accounts (${reason}); this brings it back: ${command}`;
    this.#run.learned({ type: 'found', finding: { code: 'not_reclaimed', edge_id: null, message } });
  }
}

/** Edges that finish return their balances themselves, or say that they could not; others may not have. */
function owesMoney({ scenario, state, notReclaimed }: Run): boolean {
  if (!scenario.accounts.reclaim || state.status !== 'Running') return false;
  if (notReclaimed !== null) return true;
  return state.ending?.status === 'Failed' || state.members.some(({ end }) => end !== 'done');
}

/** Ends the work at the time limit. */
async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      ending.abort();
      reject(new DomainError('RPC_FAILED', `not done within ${Math.round(ms / 1_000)} s`));
    }, ms);
  });
  return Promise.race([work(ending.signal), late]).finally(() => {
    clearTimeout(timer);
  });
}
