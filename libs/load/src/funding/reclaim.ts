import { type Address, toHex } from '#chain';
import { estimateGas, feesAt, readHead } from '../chain/chain-view.ts';
import { JsonRpc, readBigInt } from '../rpc/json-rpc.ts';
import { RpcFailure } from '../rpc/rpc-reply.ts';
import { Wallet } from './wallet.ts';

export interface ReclaimOptions {
  readonly rpcUrl: string;
  readonly rpcTimeoutMs: number;
  readonly chainId: number;
  readonly to: Address;
  readonly addresses: readonly Address[];
  readonly keyOf: (position: number) => Uint8Array;
}

/** What came of it. */
export interface Reclaimed {
  readonly accounts: number;
  readonly failed: number;
}

const AT_ONCE = 512;
const FEE_MULTIPLIER = 2;
const PATIENCE_MS = 30_000;
const NOTHING = new Uint8Array(0);

/** Sends what the accounts still hold, less the fee, back to the funder. One that fails is left as it is. */
export async function reclaim(options: ReclaimOptions): Promise<Reclaimed> {
  const { rpcUrl: url, rpcTimeoutMs: timeoutMs } = options;
  const rpc = new JsonRpc({ url, timeoutMs, connections: AT_ONCE });
  try {
    return await sweep(rpc, options);
  } finally {
    await rpc.close();
  }
}

async function sweep(rpc: JsonRpc, { chainId, to, addresses, keyOf }: ReclaimOptions): Promise<Reclaimed> {
  const [first] = addresses;
  if (first === undefined) return { accounts: 0, failed: 0 };
  const fees = feesAt(await readHead(rpc), FEE_MULTIPLIER);
  const gas = await estimateGas(rpc, first, { to, value: 0n, data: NOTHING });
  const params = addresses.map((address) => [toHex(address), 'latest']);
  const balances = await rpc.callMany('eth_getBalance', params, readBigInt);
  const waiting = balances.entries();
  const context = { rpc, chainId, fees, patienceMs: PATIENCE_MS };
  let failed = 0;
  const work = async (): Promise<void> => {
    for (const [position, balance] of waiting) {
      const rest = balance - gas * fees.maxFee;
      if (rest <= 0n) continue;
      try {
        const wallet = await Wallet.open(keyOf(position), context);
        await wallet.send({ to, value: rest, data: NOTHING }, gas);
      } catch (error) {
        if (!(error instanceof RpcFailure)) throw error;
        failed++;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { accounts: addresses.length, failed };
}
