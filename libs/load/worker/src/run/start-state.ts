import { contractAddress, toHex } from '#load/chain';
import type { EventBuffer } from '#load/telemetry';
import { pause } from '#platform/foundation';
import {
  type AccountState,
  type BlockHead,
  estimateCallGas,
  estimateGas,
  feesAt,
  type ReadAccount,
  readAccounts,
  readHead,
} from '../funding/chain-view.ts';
import { isTakenByAnother, Wallet } from '../funding/wallet.ts';
import type { AddressBook } from '../plan/account-keys.ts';
import type { ContractSetup } from '../plan/contract-setup.ts';
import type { EdgePlan } from '../plan/edge-plan.ts';
import { readNumber } from '../rpc/json-rpc.ts';
import { authorizationsOf } from '../transaction/authorization.ts';
import type { TransactionPlace } from '../transaction/contract-call.ts';
import type { ExpressLaneSender } from '../transaction/express-lane-sender.ts';
import { type Blueprint, blueprintOf, payloadOf, tokenCreation } from '../transaction/blueprint.ts';
import type { Fees } from '../transaction/signing-order.ts';
import type { GasAlarm } from '../settlement/block-receipts.ts';
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
  readonly setup: ContractSetup;
  /** Undefined if no entry of the mix uses it. */
  readonly expressLane: ExpressLaneSender | undefined;
}

const SETUP_PATIENCE_MS = 30_000;
const DEPLOY_ATTEMPTS_MAX = 20;
const DEPLOY_RETRY_MS = 100;
const ESTIMATES_A_CALL = 4;

/** Deploys the token, estimates the gas of the mix, and reads all accounts at one block. */
export async function readStartState(
  target: LoadTarget,
  book: AddressBook,
  setup: ContractSetup,
): Promise<StartState> {
  const { rpc, plan } = target;
  const before = await readHead(rpc);
  const fees = feesAt(before, plan.fees.maxFeeMultiplier, tipOf(plan));
  const needsToken = plan.mix.some(({ kind }) => kind === 'erc20_transfer');
  const token = needsToken ? await deployToken(target, fees) : null;
  const facts = { token, setup, accounts: plan.accounts.total ?? plan.accounts.count };
  const blueprints = await withGasLimits(
    { target, book, before },
    plan.mix.map((entry) => blueprintOf(entry, facts)),
  );
  const head = await readHead(rpc);
  const accounts = await readAccounts(rpc, addressesOf(book), { block: head.number, token });
  const expressLane = await target.openExpressLane();
  return { blueprints, fees, head, token, accounts, setup, expressLane };
}

export function addressesOf(book: AddressBook): readonly Uint8Array[] {
  return Array.from({ length: book.count }, (_, at) => book.at(at));
}

/**
 * Deploys from the first account of the partition. Another run may use this account at the same time: the
 * second one uses the next nonce, and has its own token.
 */
async function deployToken({ rpc, plan, accounts }: LoadTarget, fees: Fees): Promise<Uint8Array> {
  const context = { rpc, chainId: plan.chainId, fees, patienceMs: SETUP_PATIENCE_MS };
  const creation = tokenCreation();
  for (let attempt = 1; ; attempt++) {
    const wallet = await Wallet.open(accounts.keyOf(plan.accounts.first), context);
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

/** What the estimates depend on. */
interface Estimating {
  readonly target: LoadTarget;
  readonly book: AddressBook;
  readonly before: BlockHead;
}

/** An entry's own limit, that of all, or an estimate. */
async function withGasLimits(
  estimating: Estimating,
  blueprints: readonly Blueprint[],
): Promise<readonly Blueprint[]> {
  const { fees, mix } = estimating.target.plan;
  return Promise.all(
    blueprints.map(async (blueprint, at) => {
      const fixed = mix[at]?.gasLimit ?? (fees.gasLimit === 'estimate' ? undefined : fees.gasLimit);
      const gasLimit = fixed === undefined ? await estimated(estimating, blueprint) : BigInt(fixed);
      return { ...blueprint, gasLimit };
    }),
  );
}

/** The costs of calls depend on their arguments: the highest of some accounts. */
async function estimated(estimating: Estimating, blueprint: Blueprint): Promise<bigint> {
  const { target, book } = estimating;
  if (blueprint.call === null) return estimateAt(estimating, blueprint, { book, position: 0, nonce: 1 });
  const length = Math.min(ESTIMATES_A_CALL, book.count);
  const positions = Array.from({ length }, (_, at) => Math.floor((at * book.count) / length));
  const params = positions.map((position) => [toHex(book.at(position)), 'latest']);
  const nonces = await target.rpc.callMany('eth_getTransactionCount', params, readNumber);
  const estimates = await Promise.all(
    positions.map((position, at) =>
      estimateAt(estimating, blueprint, { book, position, nonce: nonces[at] ?? 0 }),
    ),
  );
  return estimates.reduce((most, one) => (one > most ? one : most));
}

/** What an authorization costs at most (EIP-7702). */
const AUTHORIZATION_GAS = 25_000n;

/** Nodes without EIP-7702 in their estimates ignore authorizations: their cost is added in any case. */
async function estimateAt(
  { target: { rpc, plan, accounts }, before }: Estimating,
  blueprint: Blueprint,
  place: TransactionPlace,
): Promise<bigint> {
  const { book, position, nonce } = place;
  const { accessList, delegation } = blueprint.sending;
  const account = { seed: accounts.seed, chainId: plan.chainId, account: book.first + position, nonce };
  const authorizations = delegation === null ? [] : authorizationsOf(delegation, account);
  const payload = { ...payloadOf(blueprint, place), accessList, authorizations };
  const from = book.at(position);
  const gas =
    blueprint.call === null
      ? await estimateGas(rpc, from, payload)
      : await estimateCallGas(rpc, from, payload, before);
  return gas + AUTHORIZATION_GAS * BigInt(authorizations.length);
}

/** The lowest gas limit of each receiver, to detect receipts above it. */
export function gasAlarmOf(blueprints: readonly Blueprint[]): GasAlarm {
  const limits = new Map<string, number>();
  for (const { receiver, token, call, gasLimit } of blueprints) {
    const isContract = call !== null && receiver !== null && receiver !== 'ring';
    const special = token ?? (isContract ? receiver : null);
    const key = receiver === null ? CREATION : special === null ? PLAIN : toHex(special);
    limits.set(key, Math.min(Number(gasLimit), limits.get(key) ?? Infinity));
  }
  const limitOf = (key: string): number => limits.get(key) ?? Number.MAX_SAFE_INTEGER;
  return { creation: limitOf(CREATION), plain: limitOf(PLAIN), contracts: limits };
}

const CREATION = 'creation';
const PLAIN = 'plain';

/** Returns the gas limit of the plan; undefined if it is to be estimated. */
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
