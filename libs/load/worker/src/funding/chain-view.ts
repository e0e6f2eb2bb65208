import {
  type AccessListEntry,
  type Address,
  fromQuantity,
  type SignedAuthorization,
  toHex,
  toQuantity,
} from '#load/chain';
import { DomainError } from '#platform/foundation';
import { type JsonRpc, readBigInt, readNumber, unexpected } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { hashOf } from '../settlement/block-header.ts';
import { authorizationJson } from '../transaction/authorization.ts';
import type { Payload } from '../transaction/blueprint.ts';
import type { Fees } from '../transaction/signing-order.ts';

/** The parts of a block that a run needs. */
export interface BlockHead {
  readonly number: number;
  readonly hash: Uint8Array;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly baseFee: bigint;
  readonly gasLimit: bigint;
}

/** An account's balances and nonce at a block. */
export interface AccountState extends ReadAccount {
  readonly balance: bigint;
  readonly nonce: number;
}

/** An account's balances and nonce at a block, as far as they could be read. */
export interface ReadAccount {
  readonly balance: bigint | null;
  readonly nonce: number | null;
  /** Null without a token, or if the target did not return it. */
  readonly tokenUnits: bigint | null;
}

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231';
const WORD_PADDING = '0'.repeat(24);

/** Margin over the gas estimate, which is for the current state; only used gas is paid. */
const GAS_MARGIN_PERCENT = 20n;
/** The most that a transaction may have (EIP-7825). */
const TRANSACTION_GAS_MAX = 2n ** 24n;
const RATIO_SCALE = 1_000_000;
const WORD = /^0x[0-9a-fA-F]{64}$/;

/** The newest block. */
export function readHead(rpc: JsonRpc): Promise<BlockHead> {
  return rpc.call('eth_getBlockByNumber', ['latest', false], (block) => {
    const members = typeof block === 'object' && block !== null ? (block as Record<string, unknown>) : {};
    if (members['number'] === undefined) throw unexpected('a block', block);
    return {
      number: readNumber(members['number']),
      hash: hashOf(members['hash']),
      timestamp: readNumber(members['timestamp']),
      // A chain without EIP-1559 has no base fee.
      baseFee: members['baseFeePerGas'] === undefined ? 0n : fromQuantity(members['baseFeePerGas']),
      gasLimit: members['gasLimit'] === undefined ? TRANSACTION_GAS_MAX : fromQuantity(members['gasLimit']),
    };
  });
}

/** A block at which accounts are read, and the token of their token balances. */
export interface AccountsAt {
  readonly block: number;
  readonly token: Address | null;
}

/** Balances and nonces of accounts at a block, in their order; with a token, also their token balances. */
export async function readAccounts(
  rpc: JsonRpc,
  addresses: readonly Address[],
  at: AccountsAt,
): Promise<readonly AccountState[]> {
  const { accounts, failure } = await readAccountsFound(rpc, addresses, at);
  return accounts.map(({ balance, nonce, tokenUnits }) => {
    if (balance !== null && nonce !== null) return { balance, nonce, tokenUnits };
    throw failure ?? unexpected('the state of an account', null);
  });
}

/** Like {@link readAccounts}, with null for what could not be read, and one of its failures. */
export async function readAccountsFound(
  rpc: JsonRpc,
  addresses: readonly Address[],
  { block, token }: AccountsAt,
): Promise<{ readonly accounts: readonly ReadAccount[]; readonly failure: RpcFailure | undefined }> {
  const tag = toQuantity(block);
  const params = addresses.map((address) => [toHex(address), tag]);
  const balances = await rpc.callEach('eth_getBalance', params, readBigInt);
  const nonces = await rpc.callEach('eth_getTransactionCount', params, readNumber);
  const units = token === null ? [] : await readUnits(rpc, addresses, { tag, token });
  return {
    accounts: balances.map((balance, at) => ({
      balance: orNull(balance),
      nonce: orNull(nonces[at]),
      tokenUnits: orNull(units[at]),
    })),
    failure: [...balances, ...nonces].find((one) => one instanceof RpcFailure),
  };
}

function orNull<T>(result: T | RpcFailure | undefined): T | null {
  return result === undefined || result instanceof RpcFailure ? null : result;
}

/** A failure if the target does not answer calls at that block. */
async function readUnits(
  rpc: JsonRpc,
  addresses: readonly Address[],
  { tag, token }: { readonly tag: string; readonly token: Address },
): Promise<readonly (bigint | RpcFailure)[]> {
  const params = addresses.map((address) => {
    const data = `${BALANCE_OF}${WORD_PADDING}${toHex(address).slice(2)}`;
    return [{ to: toHex(token), data }, tag];
  });
  return rpc.callEach('eth_call', params, readWord);
}

function readWord(result: unknown): bigint {
  if (typeof result === 'string' && WORD.test(result)) return BigInt(result);
  throw unexpected('a word of 32 bytes', result);
}

/** Fees that are sufficient up to `multiplier` times the current base fee, plus the tip. */
export function feesAt({ baseFee }: BlockHead, multiplier: number, priorityFee = 0n): Fees {
  const scaled = (baseFee * BigInt(Math.round(multiplier * RATIO_SCALE))) / BigInt(RATIO_SCALE);
  return { maxFee: (scaled > 0n ? scaled : 1n) + priorityFee, priorityFee };
}

/** A payload with the lists of its type. */
interface ListedPayload extends Payload {
  readonly accessList?: readonly AccessListEntry[];
  readonly authorizations?: readonly SignedAuthorization[];
}

/** The gas limit for a transaction of an account whose cost does not depend on the state. */
export async function estimateGas(rpc: JsonRpc, from: Address, payload: ListedPayload): Promise<bigint> {
  const gas = await estimated(rpc, from, payload);
  return gas + (gas * GAS_MARGIN_PERCENT) / 100n;
}

/**
 * The gas limit for a call of a contract: twice the estimate (ADR 0602), as far as block and transaction may
 * have it.
 */
export async function estimateCallGas(
  rpc: JsonRpc,
  from: Address,
  payload: ListedPayload,
  { gasLimit }: Pick<BlockHead, 'gasLimit'>,
): Promise<bigint> {
  const gas = await estimated(rpc, from, payload);
  const limits = [2n * gas, gasLimit, TRANSACTION_GAS_MAX];
  const limit = limits.reduce((least, one) => (one < least ? one : least));
  return limit > gas ? limit : gas;
}

async function estimated(
  rpc: JsonRpc,
  from: Address,
  { to, value, data, accessList = [], authorizations = [] }: ListedPayload,
): Promise<bigint> {
  const request = {
    from: toHex(from),
    ...(to !== null && { to: toHex(to) }),
    value: toQuantity(value),
    data: toHex(data),
    ...(accessList.length > 0 && { accessList: accessList.map(accessJson) }),
    ...(authorizations.length > 0 && { authorizationList: authorizations.map(authorizationJson) }),
  };
  return rpc.call('eth_estimateGas', [request], readBigInt);
}

function accessJson({ address, storageKeys }: AccessListEntry): Readonly<Record<string, unknown>> {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) };
}

/** Throws PLAN_REFUSED if the RPC serves another chain. */
export async function requireChain(rpc: JsonRpc, chainId: number): Promise<void> {
  const served = await rpc.call('eth_chainId', [], readNumber);
  if (served === chainId) return;
  throw new DomainError('PLAN_REFUSED', `expected chain id ${chainId}, got ${served} from the RPC`, {
    details: { reason: 'chain_id_mismatch' },
  });
}
