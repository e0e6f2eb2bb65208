import { type AccessListEntry, type Address, fromHex, fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { Params } from '../rpc/params.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';
import type { BlockStore } from './block-store.ts';
import type { Block } from './block.ts';

const LATEST = new Set<unknown>(['latest', 'pending', 'safe', 'finalized']);
const HASH_DIGITS = 66;

/**
 * Resolves a block parameter: a tag, a number, a hash, or an object with a number or hash (EIP-1898).
 * Undefined if there is no such block, or no longer. This chain has no pending block, and all of it is final.
 */
export function chosenBlock(blocks: BlockStore, params: Params, index: number): Block | undefined {
  const choice = choiceOf(params, index);
  if (LATEST.has(choice)) return blocks.latest;
  if (choice === 'earliest') return blocks.byNumber(0);
  try {
    const text = typeof choice === 'string' ? choice : '';
    const isHash = text.length === HASH_DIGITS;
    return isHash ? blocks.byHash(fromHex(text)) : blocks.byNumber(Number(fromQuantity(text)));
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const expected = 'expected the number, hash or name of a block';
    throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: ${expected}`);
  }
}

/** The block of a state query. Throws an RpcFault, with geth's text, if it does not exist or is removed. */
export function chosenState(blocks: BlockStore, params: Params, index: number): number {
  if (!params.has(index)) return blocks.latest.header.number;
  const block = chosenBlock(blocks, params, index);
  if (block !== undefined) return block.header.number;
  const isGone = blocks.byNumber(0) === undefined;
  throw new RpcFault(
    RPC_CODE.refused,
    isGone ? 'header not found, or its state is no longer kept' : 'header not found',
  );
}

function choiceOf(params: Params, index: number): unknown {
  const value = params.value(index);
  if (typeof value !== 'object' || value === null) return value;
  const { blockNumber, blockHash } = value as Readonly<Record<string, unknown>>;
  return blockNumber ?? blockHash;
}

/** The transaction parameter of eth_call and eth_estimateGas. */
interface CallObject {
  readonly from: Address | null;
  readonly to: Address | null;
  readonly data: Uint8Array;
  readonly value: bigint;
  readonly accessList: readonly AccessListEntry[];
}

export function callObjectOf(params: Params, index: number): CallObject {
  const { from, to, data, input, value, accessList } = params.object(index);
  try {
    return {
      from: addressOrNull(from),
      to: addressOrNull(to),
      data: fromHex(textOf(input ?? data ?? '0x')),
      value: fromQuantity(value ?? '0x0'),
      accessList: listOf(accessList).map(accessListEntryOf),
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: ${error.message}`);
  }
}

function addressOrNull(value: unknown): Address | null {
  return value === undefined || value === null ? null : fromHex(textOf(value));
}

function accessListEntryOf(value: unknown): AccessListEntry {
  const { address, storageKeys } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    address: fromHex(textOf(address)),
    storageKeys: listOf(storageKeys).map((key) => fromHex(textOf(key))),
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Values other than strings are not hex. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
