import { type AccessListEntry, type Address, fromHex, fromQuantity } from '#load/chain';
import { DomainError } from '#platform/foundation';
import type { Params } from '../rpc/params.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';

/** The transaction that eth_call and eth_estimateGas are asked about. */
export interface CallObject {
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

/** What is no text is no hex either. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
