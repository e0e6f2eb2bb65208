import { fromHex, fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { Params } from '../rpc/params.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';
import type { BlockStore } from './block-store.ts';
import type { Block } from './block.ts';

const LATEST = new Set<unknown>(['latest', 'pending', 'safe', 'finalized']);
const HASH_DIGITS = 66;

/**
 * The block that a parameter means: a name, a number, a hash, or an object with one of the two (EIP-1898).
 * Undefined when there is none, or no longer. Nothing is pending in this chain, and all of it is final.
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

/** The block whose state is asked for. Faults when there is none, in geth's words, or no longer. */
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
