import { contractAddress } from '#load/chain';
import type { EventBuffer } from '#load/telemetry';
import { pause } from '#platform/foundation';
import {
  type AccountState,
  type BlockHead,
  estimateGas,
  feesAt,
  type ReadAccount,
  readAccounts,
  readHead,
} from '../funding/chain-view.ts';
import { isTakenByAnother, Wallet } from '../funding/wallet.ts';
import { accountKey, type AddressBook } from '../plan/account-keys.ts';
import type { EdgePlan } from '../plan/edge-plan.ts';
import { type Blueprint, blueprintOf, payloadOf, tokenCreation } from '../transaction/blueprint.ts';
import type { Fees } from '../transaction/signing-order.ts';
import type { LoadTarget } from './load-target.ts';

/** The state at the start of the load. */
export interface StartState {
  readonly blueprints: readonly Blueprint[];
  readonly fees: Fees;
  /** The last block of the preparation. */
  readonly head: BlockHead;
  /** The load's token; null where the mix has none. */
  readonly token: Uint8Array | null;
  /** State of the accounts at `head`. */
  readonly accounts: readonly AccountState[];
}

const SETUP_PATIENCE_MS = 30_000;
const DEPLOY_ATTEMPTS_MAX = 20;
const DEPLOY_RETRY_MS = 100;

/** Deploys the token, estimates the gas of the mix, and reads all accounts at one block. */
export async function readStartState(target: LoadTarget, book: AddressBook): Promise<StartState> {
  const { rpc, plan } = target;
  const fees = feesAt(await readHead(rpc), plan.fees.maxFeeMultiplier, tipOf(plan));
  const needsToken = plan.mix.some(({ kind }) => kind === 'erc20_transfer');
  const token = needsToken ? await deployToken(target, fees) : null;
  const blueprints = await withGasLimits(
    target,
    book,
    plan.mix.map((entry) => blueprintOf(entry, token)),
  );
  const head = await readHead(rpc);
  const accounts = await readAccounts(rpc, addressesOf(book), { block: head.number, token });
  return { blueprints, fees, head, token, accounts };
}

export function addressesOf(book: AddressBook): readonly Uint8Array[] {
  return Array.from({ length: book.count }, (_, at) => book.at(at));
}

/**
 * Deploys from the first account of the partition. Another run may use this account at the same time: the
 * second one uses the next nonce, and has its own token.
 */
async function deployToken({ rpc, plan, seed }: LoadTarget, fees: Fees): Promise<Uint8Array> {
  const context = { rpc, chainId: plan.chainId, fees, patienceMs: SETUP_PATIENCE_MS };
  const creation = tokenCreation();
  for (let attempt = 1; ; attempt++) {
    const wallet = await Wallet.open(accountKey(seed, plan.accounts.first), context);
    const address = contractAddress(wallet.address, wallet.nonce);
    try {
      await wallet.sendAndWait(creation, await estimateGas(rpc, wallet.address, creation));
      return address;
    } catch (error) {
      if (!isTakenByAnother(error) || attempt === DEPLOY_ATTEMPTS_MAX) throw error;
      await pause(DEPLOY_RETRY_MS);
    }
  }
}

/** One estimate for each entry; entries of equal cost share it. */
async function withGasLimits(
  { rpc, plan }: LoadTarget,
  book: AddressBook,
  blueprints: readonly Blueprint[],
): Promise<readonly Blueprint[]> {
  const { gasLimit } = plan.fees;
  const limitOf = async (blueprint: Blueprint): Promise<bigint> =>
    gasLimit === 'estimate'
      ? estimateGas(rpc, book.at(0), payloadOf(blueprint, book.next(0), 1))
      : BigInt(gasLimit);
  return Promise.all(blueprints.map(async (one) => ({ ...one, gasLimit: await limitOf(one) })));
}

/** The lowest gas limit of entries with the same effect, to detect receipts above it. */
export function lowestGasLimit(blueprints: readonly Blueprint[], fits: (one: Blueprint) => boolean): number {
  const limits = blueprints.filter(fits).map(({ gasLimit }) => Number(gasLimit));
  return Math.min(...limits, Number.MAX_SAFE_INTEGER);
}

/** Undefined: estimated. */
export function fixedGasLimit({ fees: { gasLimit } }: EdgePlan): bigint | undefined {
  return gasLimit === 'estimate' ? undefined : BigInt(gasLimit);
}

/** The tip in wei. */
export function tipOf({ fees }: EdgePlan): bigint {
  return BigInt(fees.priorityFeeWei ?? '0');
}

const LOOK_AGAIN_MS = 5;

/**
 * Records the state of all accounts at a block. The checks require these rows, so they wait for room in the
 * buffer instead of being dropped.
 */
export async function recordBalances(
  events: EventBuffer,
  book: AddressBook,
  { at, block, accounts }: { at: 'start' | 'end'; block: number; accounts: readonly ReadAccount[] },
): Promise<void> {
  for (const [position, { balance, nonce, tokenUnits }] of accounts.entries()) {
    while (events.room === 0) await pause(LOOK_AGAIN_MS);
    const place = { account: book.at(position), at, block_number: block };
    events.record('balances', { ...place, balance_wei: balance, nonce, token_units: tokenUnits });
  }
}
