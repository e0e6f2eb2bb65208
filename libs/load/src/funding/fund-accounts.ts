/**
 * Funding as a tree of two levels: the funder pays in-between accounts, each of which pays its share of the
 * accounts and gives back what is left. One account alone would have to get thousands of transactions with
 * rising nonces through one queue; so there are as many queues as in-between accounts.
 *
 *   funder ──► in-between 0 ──► account 0 … g-1
 *         └──► in-between 1 ──► account g … 2g-1    …
 *
 * The keys in between follow from the funder's, keccak256(key ‖ "plexus funding" ‖ number as u32be), so that
 * what a crash leaves there is used by the next funding. Rounds are repeated until all balances hold.
 */
import { type Address, addressOf, toHex } from '#chain';
import { assert, DomainError, type Secret } from '#foundation';
import { derivedKey } from '../account/account-keys.ts';
import { estimateGas, feesAt, readHead } from '../chain/chain-view.ts';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { keyOf } from './private-key.ts';
import { Wallet, type WalletContext } from './wallet.ts';

export interface FundingOptions {
  readonly rpcUrl: string;
  readonly rpcTimeoutMs: number;
  readonly chainId: number;
  /** The funder's private key, hexadecimal. */
  readonly funderKey: Secret;
  readonly addresses: readonly Address[];
  /** What each account is to hold at least. */
  readonly fundWei: bigint;
  /** Accounts that hold enough, so far. */
  readonly onProgress?: (funded: number, count: number) => void;
  readonly patienceMs?: number;
}

const LABEL = Buffer.from('plexus funding');
/** So many rounds in a row may bring nothing. */
const VAIN_ROUNDS_MAX = 3;
const DIRECT_MAX = 16;
const GROUPS_MAX = 128;
const IN_FLIGHT_A_GROUP = 8;
/** A sequencer answers when it has sequenced: one for each transaction in flight. */
const CONNECTIONS = GROUPS_MAX * IN_FLIGHT_A_GROUP;
const FEE_MULTIPLIER = 4;
const PATIENCE_MS = 30_000;
const NOTHING = new Uint8Array(0);

/**
 * Sees to it that every account holds `fundWei`; those that do are left alone. Throws PLAN_REFUSED
 * (`accounts_unfunded`) when the funder has too little, or round after round brings nothing; RPC_FAILED.
 */
export async function fundAccounts(options: FundingOptions): Promise<void> {
  const { rpcUrl: url, rpcTimeoutMs: timeoutMs } = options;
  const rpc = new JsonRpc({ url, timeoutMs, connections: CONNECTIONS });
  try {
    await fundInRounds(rpc, options);
  } finally {
    await rpc.close();
  }
}

async function fundInRounds(rpc: JsonRpc, options: FundingOptions): Promise<void> {
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
    if (vain === VAIN_ROUNDS_MAX) throw unfunded(`${needy.length} accounts still hold too little`);
    await fundRound(rpc, options, needy);
  }
}

interface Need {
  readonly address: Address;
  readonly missing: bigint;
}

async function fundRound(rpc: JsonRpc, options: FundingOptions, needy: readonly Need[]): Promise<void> {
  const { chainId, funderKey, patienceMs = PATIENCE_MS } = options;
  const context = { rpc, chainId, fees: feesAt(await readHead(rpc), FEE_MULTIPLIER), patienceMs };
  const funder = await Wallet.open(keyOf(funderKey), context);
  const gas = await estimateGas(rpc, funder.address, payment(needy[0]?.address ?? funder.address, 0n));
  const fee = gas * context.fees.maxFee;
  const total = needy.reduce((sum, { missing }) => sum + missing + fee, 0n);
  const balance = await rpc.call('eth_getBalance', [toHex(funder.address), 'latest'], readBigInt);
  if (balance < total)
    throw unfunded(`the funder ${toHex(funder.address)} holds ${balance}, expected ${total} wei`);
  if (needy.length <= DIRECT_MAX) await pay(funder, needy, gas);
  else await payThroughGroups({ funder, needy, gas, fee, context, key: keyOf(funderKey) });
}

interface GroupPlan {
  readonly funder: Wallet;
  readonly needy: readonly Need[];
  readonly gas: bigint;
  readonly fee: bigint;
  readonly context: WalletContext;
  readonly key: Uint8Array;
}

async function payThroughGroups({ funder, needy, gas, fee, context, key }: GroupPlan): Promise<void> {
  const size = Math.ceil(needy.length / Math.min(GROUPS_MAX, Math.ceil(Math.sqrt(needy.length))));
  const groups = Array.from({ length: Math.ceil(needy.length / size) }, (_, number) => ({
    key: derivedKey(key, LABEL, number),
    needs: needy.slice(number * size, (number + 1) * size),
  }));
  const wallets = await Promise.all(groups.map((group) => Wallet.open(group.key, context)));
  const held = await readBalances(
    context.rpc,
    wallets.map(({ address }) => address),
  );
  const shares = groups.flatMap(({ needs }, at) => {
    // One fee more: for giving back what is left.
    const wanted = needs.reduce((sum, { missing }) => sum + missing + fee, fee);
    const missing = wanted - (held[at] ?? 0n);
    return missing > 0n ? [{ address: addressOf(groups[at]?.key ?? key), missing }] : [];
  });
  await pay(funder, shares, gas);
  await Promise.all(
    groups.map(async ({ needs }, at) => {
      const wallet = wallets[at];
      assert(wallet !== undefined, 'a wallet for each group');
      await pay(wallet, needs, gas);
      await untilRefused(() => giveBack(wallet, { to: funder.address, gas, context }));
    }),
  );
}

/** Several at a time. One that fails is left to the next round, with all after it. */
async function pay(wallet: Wallet, needs: readonly Need[], gas: bigint): Promise<void> {
  const waiting = needs.values();
  const work = async (): Promise<void> => {
    for (const { address, missing } of waiting) {
      await wallet.send(payment(address, missing), gas);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT_A_GROUP }, () => untilRefused(work)));
  await untilRefused(() => wallet.settle());
}

/** What the RPC does not do now is left to the next round. */
async function untilRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
  }
}

/** All but what the transaction may cost. */
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

function unfunded(message: string): DomainError {
  return new DomainError('PLAN_REFUSED', message, { details: { reason: 'accounts_unfunded' } });
}
