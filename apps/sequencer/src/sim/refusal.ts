import { checksumAddress, type DecodedTransaction } from '#load/chain';
import type { Account } from './account.ts';
import { BASE_FEE_WEI } from './chain-rules.ts';

/** Why a transaction is not sequenced, in the texts of Nitro and geth, which clients match on. */
export interface SimRefusal {
  readonly message: string;
  /** Default -32000. */
  readonly code?: number;
  /** Whether a predecessor may still arrive. */
  readonly isNonceTooHigh?: true;
}

export const REFUSALS = {
  intrinsicGas: { message: 'intrinsic gas too low' },
  unprotected: { message: 'only replay-protected (EIP-155) transactions allowed over RPC' },
  signature: { message: 'invalid transaction v, r, s values' },
  type: { message: 'transaction type not supported' },
  oversized: { message: 'oversized data' },
  noTimeboost: { message: 'timeboost not enabled' },
  queueTimeout: { message: 'context deadline exceeded' },
} as const satisfies Record<string, SimRefusal>;

export function nonceRefusal({ sender, nonce }: DecodedTransaction, account: Account): SimRefusal {
  const state = account.reportedNonce;
  const detail = `address ${checksumAddress(sender)}, tx: ${nonce} state: ${state}`;
  return nonce < state
    ? { message: `nonce too low: ${detail}` }
    : { message: `nonce too high: ${detail}`, isNonceTooHigh: true };
}

export function fundsRefusal({ sender }: DecodedTransaction, have: bigint, want: bigint): SimRefusal {
  const detail = `address ${checksumAddress(sender)} have ${have} want ${want}`;
  return { message: `insufficient funds for gas * price + value: ${detail}` };
}

export function feeRefusal({ sender, maxFeePerGas }: DecodedTransaction): SimRefusal {
  const detail = `address ${checksumAddress(sender)}, maxFeePerGas: ${maxFeePerGas} baseFee: ${BASE_FEE_WEI}`;
  return { message: `max fee per gas less than block base fee: ${detail}` };
}

export function tipRefusal({ sender, maxFeePerGas, maxPriorityFeePerGas }: DecodedTransaction): SimRefusal {
  const fees = `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`;
  const detail = `address ${checksumAddress(sender)}, ${fees}`;
  return { message: `max priority fee per gas higher than max fee per gas: ${detail}` };
}

export function chainIdRefusal(have: bigint, want: bigint): SimRefusal {
  return { message: `invalid chain id for signer: have ${have} want ${want}` };
}
