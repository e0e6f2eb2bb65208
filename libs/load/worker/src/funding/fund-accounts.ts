/**
 * Funding as a tree of two levels: the funder pays in-between accounts, each of which pays its share of the
 * accounts and returns the rest. A single account would have to send thousands of transactions with ascending
 * nonces through one queue; this way there are as many queues as in-between accounts.
 *
 *   funder ──► in-between 0 ──► account 0 … g-1
 *         └──► in-between 1 ──► account g … 2g-1    …
 *
 * The in-between keys are derived from the funder's, keccak256(key ‖ "plexus funding" ‖ number as u32be), so
 * that the next funding uses the funds that a crash has left there. Rounds are repeated until all balances
 * are sufficient.
 */
import { type Address, addressOf, toHex } from '#load/chain';
import { assert, countedText, DomainError, type Secret } from '#platform/foundation';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { estimateGas, feesAt, readHead } from './chain-view.ts';
import { betweenKey, GROUPS_MAX, keyOf } from './private-key.ts';
import { Standstill } from './standstill.ts';
import { Wallet, type WalletContext, type WalletTarget } from './wallet.ts';

export interface FundingOptions {
  readonly target: WalletTarget;
  /** The funder's private key, hexadecimal. */
  readonly funderKey: Secret;
  readonly addresses: readonly Address[];
  /** The minimum balance of each account. */
  readonly fundWei: bigint;
  /** The gas limit of each payment; undefined: estimated by the node. */
  readonly gasLimit?: bigint | undefined;
  /** The maximum cost of all rounds, fees included. */
  readonly budgetWei?: bigint | undefined;
  /** Called before a round with its maximum cost, including the earlier rounds. */
  readonly onCost?: (mostWei: bigint) => void;
  /** Called with the number of sufficiently funded accounts. */
  readonly onProgress?: (funded: number, count: number) => void;
  readonly patienceMs?: number;
  /** Time without progress after which the funding fails. Default 60 s. */
  readonly standstillMs?: number;
  /** Ends the funding; it throws RPC_FAILED. */
  readonly signal?: AbortSignal;
}

/** Maximum number of consecutive rounds without progress. */
const VAIN_ROUNDS_MAX = 3;
const DIRECT_MAX = 16;
const IN_FLIGHT_A_GROUP = 8;
/** One connection for each transaction in flight: a sequencer answers only after sequencing. */
const CONNECTIONS = GROUPS_MAX * IN_FLIGHT_A_GROUP;
const FEE_MULTIPLIER = 4;
const PATIENCE_MS = 30_000;
const STANDSTILL_MS = 60_000;
const NOTHING = new Uint8Array(0);

/** The result of the funding. */
export interface FundedRun {
  /** Upper bound, fees included; the actual cost is lower. */
  readonly mostWei: bigint;
}

/** An account's state across all rounds. */
interface Account {
  readonly standstill: Standstill;
  mostWei: bigint;
  /** The reason of the latest failed payment. */
  refusal: RpcFailure | undefined;
}

/**
 * Funds every account with less than `fundWei`. Throws PLAN_REFUSED: `accounts_unfunded` if the funder has
 * too little or several rounds bring no progress, with the node's reason; `budget_exceeded` before a payment
 * beyond the budget. Throws RPC_FAILED.
 */
export async function fundAccounts(options: FundingOptions): Promise<FundedRun> {
  const { url, sendUrl, timeoutMs, headers } = options.target;
  const { standstillMs = STANDSTILL_MS, signal } = options;
  const limits = { connections: CONNECTIONS, patienceMs: timeoutMs };
  const rpc = new JsonRpc({ url, sendUrl, timeoutMs, headers, ...limits });
  const standstill = new Standstill({ rpc, standstillMs, signal });
  const account: Account = { mostWei: 0n, refusal: undefined, standstill };
  try {
    await fundInRounds(rpc, options, account);
    return { mostWei: account.mostWei };
  } finally {
    await standstill.end();
  }
}

async function fundInRounds(rpc: JsonRpc, options: FundingOptions, account: Account): Promise<void> {
  const { addresses, fundWei, onProgress } = options;
  let vain = 0;
  let before = Infinity;
  for (;;) {
    const balances = await readBalances(rpc, addresses);
    const needy = addresses.flatMap((address, at) => {
      const missing = fundWei - (balances[at] ?? 0n);
      return missing > 0n ? [{ address, missing }] : [];
    });
    onProgress?.(addresses.length - needy.length, addresses.length);
    if (needy.length === 0) return;
    vain = needy.length < before ? 0 : vain + 1;
    before = needy.length;
    if (vain === VAIN_ROUNDS_MAX) throw unfunded(stillUnfunded(needy.length, account));
    await fundRound(rpc, options, { needy, account });
  }
}

interface Need {
  readonly address: Address;
  readonly missing: bigint;
}

async function fundRound(
  rpc: JsonRpc,
  options: FundingOptions,
  { needy, account }: { readonly needy: readonly Need[]; readonly account: Account },
): Promise<void> {
  const { funderKey, patienceMs = PATIENCE_MS } = options;
  const { chainId, priorityFee } = options.target;
  const fees = feesAt(await readHead(rpc), FEE_MULTIPLIER, priorityFee);
  const onRefused = (failure: RpcFailure): void => {
    account.refusal = failure;
  };
  const onPaid = (): void => {
    account.standstill.moved();
  };
  const context = { rpc, chainId, fees, patienceMs, onRefused, onPaid };
  const funder = await Wallet.open(keyOf(funderKey), context);
  const gas =
    options.gasLimit ??
    (await estimateGas(rpc, funder.address, payment(needy[0]?.address ?? funder.address, 0n)));
  const fee = gas * context.fees.maxFee;
  const total = needy.reduce((sum, { missing }) => sum + missing + fee, 0n);
  spend(options, account, total + feesBetween(needy.length, fee));
  const balance = await rpc.call('eth_getBalance', [toHex(funder.address), 'latest'], readBigInt);
  if (balance < total)
    throw unfunded(`the funder ${toHex(funder.address)} holds ${balance}, expected ${total} wei`);
  if (needy.length <= DIRECT_MAX) await pay(funder, needy, { gas, context });
  else await payThroughGroups({ funder, needy, gas, fee, context, key: keyOf(funderKey) });
}

interface GroupPlan {
  readonly funder: Wallet;
  readonly needy: readonly Need[];
  readonly gas: bigint;
  readonly fee: bigint;
  readonly context: PayContext;
  readonly key: Uint8Array;
}

interface PayContext extends WalletContext {
  /** Called with the reason of each rejected payment. */
  readonly onRefused: (failure: RpcFailure) => void;
  readonly onPaid: () => void;
}

async function payThroughGroups({ funder, needy, gas, fee, context, key }: GroupPlan): Promise<void> {
  const size = Math.ceil(needy.length / groupsOf(needy.length));
  const groups = Array.from({ length: Math.ceil(needy.length / size) }, (_, number) => ({
    key: betweenKey(key, number),
    needs: needy.slice(number * size, (number + 1) * size),
  }));
  const wallets = await Promise.all(groups.map((group) => Wallet.open(group.key, context)));
  const held = await readBalances(
    context.rpc,
    wallets.map(({ address }) => address),
  );
  const shares = groups.flatMap(({ needs }, at) => {
    // One additional fee: for returning the rest.
    const wanted = needs.reduce((sum, { missing }) => sum + missing + fee, fee);
    const missing = wanted - (held[at] ?? 0n);
    return missing > 0n ? [{ address: addressOf(groups[at]?.key ?? key), missing }] : [];
  });
  await pay(funder, shares, { gas, context });
  await Promise.all(
    groups.map(async ({ needs }, at) => {
      const wallet = wallets[at];
      assert(wallet !== undefined, 'a wallet for each group');
      await pay(wallet, needs, { gas, context });
      await untilRefused(() => giveBack(wallet, { to: funder.address, gas, context }), context);
    }),
  );
}

/** Sends several payments at a time. A failed payment, and all after it, are left to the next round. */
async function pay(
  wallet: Wallet,
  needs: readonly Need[],
  { gas, context }: { readonly gas: bigint; readonly context: PayContext },
): Promise<void> {
  const waiting = needs.values();
  const work = async (): Promise<void> => {
    for (const { address, missing } of waiting) {
      await wallet.send(payment(address, missing), gas);
      context.onPaid();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT_A_GROUP }, () => untilRefused(work, context)));
  await untilRefused(() => wallet.settle(), context);
}

/** Leaves a failed call to the next round, and keeps its reason. */
async function untilRefused(work: () => Promise<void>, { onRefused }: PayContext): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    onRefused(error);
  }
}

/** The balance less the maximum cost of the transaction. */
async function giveBack(
  wallet: Wallet,
  { to, gas, context }: { readonly to: Address; readonly gas: bigint; readonly context: WalletContext },
): Promise<void> {
  const balance = await context.rpc.call('eth_getBalance', [toHex(wallet.address), 'latest'], readBigInt);
  const rest = balance - gas * context.fees.maxFee;
  if (rest > 0n) await wallet.send(payment(to, rest), gas);
}

function payment(to: Address, value: bigint): { to: Address; value: bigint; data: Uint8Array } {
  return { to, value, data: NOTHING };
}

function readBalances(rpc: JsonRpc, addresses: readonly Address[]): Promise<readonly bigint[]> {
  return rpc.callMany(
    'eth_getBalance',
    addresses.map((address) => [toHex(address), 'latest']),
    readBigInt,
  );
}

function groupsOf(count: number): number {
  return Math.min(GROUPS_MAX, Math.ceil(Math.sqrt(count)));
}

/** The fees of paying the in-between accounts, and of returning the rest. */
function feesBetween(count: number, fee: bigint): bigint {
  return count <= DIRECT_MAX ? 0n : 2n * fee * BigInt(groupsOf(count));
}

function spend({ budgetWei, onCost }: FundingOptions, account: Account, costWei: bigint): void {
  const mostWei = account.mostWei + costWei;
  if (budgetWei !== undefined && mostWei > budgetWei) {
    const message = `funding would cost up to ${mostWei} wei, expected at most accounts.budget_wei, ${budgetWei}`;
    throw new DomainError('PLAN_REFUSED', message, { details: { reason: 'budget_exceeded' } });
  }
  account.mostWei = mostWei;
  onCost?.(mostWei);
}

function stillUnfunded(count: number, { refusal }: Account): string {
  const why = refusal === undefined ? '' : `: ${refusal.message}`;
  return `${countedText(count, 'account still holds', 'accounts still hold')} too little${why}`;
}

function unfunded(message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason: 'accounts_unfunded' } });
}
