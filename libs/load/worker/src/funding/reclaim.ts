import { type Address, toHex } from '#load/chain';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { estimateGas, feesAt, readHead } from './chain-view.ts';
import { Standstill } from './standstill.ts';
import { Wallet, type WalletTarget } from './wallet.ts';

export interface ReclaimOptions {
  readonly target: WalletTarget;
  readonly to: Address;
  readonly addresses: readonly Address[];
  readonly keyOf: (position: number) => Uint8Array;
  /** The gas limit of each payment; undefined: estimated by the node. */
  readonly gasLimit?: bigint | undefined;
  /**
   * Number of rounds. After each round but the last, it waits for blocks and checks again, since pending
   * transactions may have prevented a payment. Default 3.
   */
  readonly rounds?: number;
  /** Time without a payment after which the rest is given up. Default 30 s. */
  readonly standstillMs?: number;
  /** Gives up the rest. */
  readonly signal?: AbortSignal;
}

/** The result of a reclaim. */
export interface Reclaimed {
  readonly accounts: number;
  /** The amount sent to the funder. */
  readonly sentWei: bigint;
  /** The rest on accounts that hold more than the cost of a payment. */
  readonly leftWei: bigint;
  readonly failed: number;
  /** The reason of the last failed payment. */
  readonly reason: string | null;
}

interface Round {
  readonly rpc: JsonRpc;
  readonly gas: bigint;
  readonly options: ReclaimOptions;
  /** The last round does not wait for blocks. */
  readonly isLast: boolean;
  readonly standstill: Standstill;
}

const AT_ONCE = 64;
const FEE_MULTIPLIER = 2;
const PATIENCE_MS = 30_000;
const ROUNDS = 3;
const STANDSTILL_MS = 30_000;
const NOTHING = new Uint8Array(0);

/** Sends the accounts' balances, less the fee, back to the funder. A failed payment is skipped. */
export async function reclaim(options: ReclaimOptions): Promise<Reclaimed> {
  const { addresses, to, target, rounds = ROUNDS, standstillMs = STANDSTILL_MS, signal } = options;
  const { url, timeoutMs, headers } = target;
  const rpc = new JsonRpc({ url, timeoutMs, headers, connections: AT_ONCE, patienceMs: timeoutMs });
  const standstill = new Standstill({ rpc, standstillMs, signal });
  let sum: Reclaimed = { accounts: addresses.length, sentWei: 0n, leftWei: 0n, failed: 0, reason: null };
  try {
    const [first] = addresses;
    if (first === undefined) return sum;
    const gas = options.gasLimit ?? (await estimateGas(rpc, first, { to, value: 0n, data: NOTHING }));
    for (let round = 1; round <= rounds; round++) {
      const done = await sweep({ rpc, gas, options, isLast: round === rounds, standstill });
      sum = { ...done, sentWei: sum.sentWei + done.sentWei };
      if ((done.sentWei === 0n && done.failed === 0) || rpc.closing.aborted) break;
    }
    return sum;
  } finally {
    await standstill.end();
  }
}

/** The fields of a log message. */
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

async function sweep({ rpc, gas, options, isLast, standstill }: Round): Promise<Reclaimed> {
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
        standstill.moved();
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
