import { type Address, fromQuantity, toHex, toQuantity } from '#chain';
import { DomainError } from '#foundation';
import { type JsonRpc, readBigInt, readNumber, unexpected } from '../rpc/json-rpc.ts';
import type { Fees } from '../signing/signing-order.ts';
import type { Payload } from '../transaction/blueprint.ts';

/** A block, as far as a run needs it. */
export interface BlockHead {
  readonly number: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly baseFee: bigint;
}

/** What an account had at a block. */
export interface AccountState {
  readonly balance: bigint;
  readonly nonce: number;
}

/** Estimates are for the state of now; what is paid for is what is used. */
const GAS_MARGIN_PERCENT = 20n;
const RATIO_SCALE = 1_000_000;

/** The newest block. */
export function readHead(rpc: JsonRpc): Promise<BlockHead> {
  return rpc.call('eth_getBlockByNumber', ['latest', false], (block) => {
    const members = typeof block === 'object' && block !== null ? (block as Record<string, unknown>) : {};
    if (members['number'] === undefined) throw unexpected('a block', block);
    return {
      number: readNumber(members['number']),
      timestamp: readNumber(members['timestamp']),
      // A chain without EIP-1559 has none.
      baseFee: members['baseFeePerGas'] === undefined ? 0n : fromQuantity(members['baseFeePerGas']),
    };
  });
}

/** Balances and nonces of accounts at a block, in their order. */
export async function readAccounts(
  rpc: JsonRpc,
  addresses: readonly Address[],
  block: number | 'latest',
): Promise<readonly AccountState[]> {
  const tag = block === 'latest' ? block : toQuantity(block);
  const params = addresses.map((address) => [toHex(address), tag]);
  const balances = await rpc.callMany('eth_getBalance', params, readBigInt);
  const nonces = await rpc.callMany('eth_getTransactionCount', params, readNumber);
  return balances.map((balance, at) => ({ balance, nonce: nonces[at] ?? 0 }));
}

/** Fees that hold until the base fee is `multiplier` times what it is. No tip: nobody is outbid. */
export function feesAt({ baseFee }: BlockHead, multiplier: number): Fees {
  const scaled = (baseFee * BigInt(Math.round(multiplier * RATIO_SCALE))) / BigInt(RATIO_SCALE);
  return { maxFee: scaled > 0n ? scaled : 1n, priorityFee: 0n };
}

/** The gas limit for what an account is going to send. */
export async function estimateGas(
  rpc: JsonRpc,
  from: Address,
  { to, value, data }: Payload,
): Promise<bigint> {
  const request = {
    from: toHex(from),
    ...(to !== null && { to: toHex(to) }),
    value: toQuantity(value),
    data: toHex(data),
  };
  const gas = await rpc.call('eth_estimateGas', [request], readBigInt);
  return gas + (gas * GAS_MARGIN_PERCENT) / 100n;
}

/** Throws PLAN_REFUSED unless the RPC serves the chain. */
export async function requireChain(rpc: JsonRpc, chainId: number): Promise<void> {
  const served = await rpc.call('eth_chainId', [], readNumber);
  if (served === chainId) return;
  throw new DomainError('PLAN_REFUSED', `expected chain id ${chainId}, got ${served} from the RPC`, {
    details: { reason: 'chain_id_mismatch' },
  });
}
