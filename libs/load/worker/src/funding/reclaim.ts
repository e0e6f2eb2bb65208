import { type Address, toHex } from '#load/chain';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { estimateGas, feesAt, readHead } from './chain-view.ts';
import { Wallet, type WalletTarget } from './wallet.ts';

export interface ReclaimOptions {
  readonly target: WalletTarget;
  readonly to: Address;
  readonly addresses: readonly Address[];
  readonly keyOf: (position: number) => Uint8Array;
  /** Of each payment; undefined: it is asked for. */
  readonly gasLimit?: bigint | undefined;
  /**
   * After each one but the last it is waited for the blocks, and looked again: what was under way may have
   * stood against it. Default 3.
   */
  readonly rounds?: number;
}

/** What came of it. */
export interface Reclaimed {
  readonly accounts: number;
  /** Sent on its way to the funder. */
  readonly sentWei: bigint;
  /** On accounts that hold more than a payment costs, and did not give it. */
  readonly leftWei: bigint;
  readonly failed: number;
  /** Why the last one that failed did. */
  readonly reason: string | null;
}

interface Round {
  readonly rpc: JsonRpc;
  readonly gas: bigint;
  readonly options: ReclaimOptions;
  /** The last one waits for nothing. */
  readonly isLast: boolean;
}

const AT_ONCE = 64;
const FEE_MULTIPLIER = 2;
const PATIENCE_MS = 30_000;
const ROUNDS = 3;
const NOTHING = new Uint8Array(0);

/** Sends what the accounts still hold, less the fee, back to the funder. One that fails is left as it is. */
export async function reclaim(options: ReclaimOptions): Promise<Reclaimed> {
  const { addresses, to, target, rounds = ROUNDS } = options;
  const { url, timeoutMs, headers } = target;
  const rpc = new JsonRpc({ url, timeoutMs, headers, connections: AT_ONCE });
  let sum: Reclaimed = { accounts: addresses.length, sentWei: 0n, leftWei: 0n, failed: 0, reason: null };
  try {
    const [first] = addresses;
    if (first === undefined) return sum;
    const gas = options.gasLimit ?? (await estimateGas(rpc, first, { to, value: 0n, data: NOTHING }));
    for (let round = 1; round <= rounds; round++) {
      const done = await sweep({ rpc, gas, options, isLast: round === rounds });
      sum = { ...done, sentWei: sum.sentWei + done.sentWei };
      if (done.sentWei === 0n && done.failed === 0) break;
    }
    return sum;
  } finally {
    await rpc.close();
  }
}

/** For a line of a log. */
export function reclaimedFields({
  accounts,
  sentWei,
  leftWei,
  failed,
  reason,
}: Reclaimed): Readonly<Record<string, unknown>> {
  const wei = { sent_wei: String(sentWei), left_wei: String(leftWei) };
  return { accounts, ...wei, failed, ...(reason !== null && { reason }) };
}

async function sweep({ rpc, gas, options, isLast }: Round): Promise<Reclaimed> {
  const { to, addresses, keyOf, target } = options;
  const fees = feesAt(await readHead(rpc), FEE_MULTIPLIER, target.priorityFee);
  const params = addresses.map((address) => [toHex(address), 'latest']);
  const balances = await rpc.callMany('eth_getBalance', params, readBigInt);
  const context = { rpc, chainId: target.chainId, fees, patienceMs: PATIENCE_MS };
  const waiting = balances.entries();
  const sum = {
    accounts: addresses.length,
    sentWei: 0n,
    leftWei: 0n,
    failed: 0,
    reason: null as string | null,
  };
  const work = async (): Promise<void> => {
    for (const [position, balance] of waiting) {
      const rest = balance - gas * fees.maxFee;
      if (rest <= 0n) continue;
      try {
        const wallet = await Wallet.open(keyOf(position), context);
        await wallet.send({ to, value: rest, data: NOTHING }, gas);
        if (!isLast) await wallet.settle();
        sum.sentWei += rest;
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        sum.failed++;
        sum.leftWei += rest;
        sum.reason = error.message;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return sum;
}
