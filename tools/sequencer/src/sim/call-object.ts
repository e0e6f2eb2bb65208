import { type Address, fromHex, fromQuantity } from '#chain';
import { DomainError } from '#foundation';
import type { Params } from '../rpc/params.ts';
import { RPC_CODE, RpcFault } from '../rpc/rpc-fault.ts';

/** The transaction that eth_call and eth_estimateGas are asked about. */
export interface CallObject {
  readonly from: Address | null;
  readonly to: Address | null;
  readonly data: Uint8Array;
  readonly value: bigint;
}

export function callObjectOf(params: Params, index: number): CallObject {
  const { from, to, data, input, value } = params.object(index);
  try {
    return {
      from: addressOrNull(from),
      to: addressOrNull(to),
      data: fromHex(textOf(input ?? data ?? '0x')),
      value: fromQuantity(value ?? '0x0'),
    };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new RpcFault(RPC_CODE.invalidParams, `invalid argument ${index}: ${error.message}`);
  }
}

function addressOrNull(value: unknown): Address | null {
  return value === undefined || value === null ? null : fromHex(textOf(value));
}

/** What is no text is no hex either. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
