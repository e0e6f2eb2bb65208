import { contractAddress } from '#load/chain';
import type { EventBuffer } from '#load/telemetry';
import { pause } from '#platform/foundation';
import {
  type AccountState,
  type BlockHead,
  estimateGas,
  feesAt,
  readAccounts,
  readHead,
} from '../funding/chain-view.ts';
import { isTakenByAnother, Wallet } from '../funding/wallet.ts';
import { accountKey, type AddressBook } from '../plan/account-keys.ts';
import type { EdgePlan } from '../plan/edge-plan.ts';
import { type Blueprint, blueprintOf, payloadOf, tokenCreation } from '../transaction/blueprint.ts';
import type { Fees } from '../transaction/signing-order.ts';
import type { LoadTarget } from './load-target.ts';

/** What the load starts from. */
export interface StartState {
  readonly blueprints: readonly Blueprint[];
  readonly fees: Fees;
  /** Everything before this block was preparation. */
  readonly head: BlockHead;
  /** The load's token; null where the mix has none. */
  readonly token: Uint8Array | null;
  /** At that block. */
  readonly accounts: readonly AccountState[];
}

const SETUP_PATIENCE_MS = 30_000;
const DEPLOY_ATTEMPTS_MAX = 20;
const DEPLOY_RETRY_MS = 100;

/** Deploys what the mix needs, finds out what it costs, and then looks at all accounts at one block. */
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
 * By the first account of the partition. Another run may use the same account at the same time: whoever comes
 * second takes the next nonce, and has a token of its own.
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

/** Asked once for each entry; those that cost alike share the answer. */
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

/** The lowest gas limit of those that do the same, so that a receipt beyond it can be told. */
export function lowestGasLimit(blueprints: readonly Blueprint[], fits: (one: Blueprint) => boolean): number {
  const limits = blueprints.filter(fits).map(({ gasLimit }) => Number(gasLimit));
  return Math.min(...limits, Number.MAX_SAFE_INTEGER);
}

/** Undefined: it is asked for. */
export function fixedGasLimit({ fees: { gasLimit } }: EdgePlan): bigint | undefined {
  return gasLimit === 'estimate' ? undefined : BigInt(gasLimit);
}

/** In wei. */
export function tipOf({ fees }: EdgePlan): bigint {
  return BigInt(fees.priorityFeeWei ?? '0');
}

const LOOK_AGAIN_MS = 5;

/**
 * Records what all accounts had at a block. Nothing is proved without these rows, so they wait for room
 * instead of being dropped.
 */
export async function recordBalances(
  events: EventBuffer,
  book: AddressBook,
  { at, block, accounts }: { at: 'start' | 'end'; block: number; accounts: readonly AccountState[] },
): Promise<void> {
  for (const [position, { balance, nonce, tokenUnits }] of accounts.entries()) {
    while (events.room === 0) await pause(LOOK_AGAIN_MS);
    const place = { account: book.at(position), at, block_number: block };
    events.record('balances', { ...place, balance_wei: balance, nonce, token_units: tokenUnits });
  }
}
