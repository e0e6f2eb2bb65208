/**
 * A plain loop with viem: each account signs a transfer, sends it, and waits for the answer before the next.
 * Chain id, nonces, gas and fees are given, so that each transaction is one request.
 */
import { createPublicClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { serveParent } from '../harness/child-process.ts';
import { builtLibrary } from '../targets/built-library.ts';
import type { ViemLoopProtocol } from './viem-loop-protocol.ts';

const CHAIN_ID = 412_346;
const FUND_WEI = 10n ** 18n;
const FIELDS = {
  type: 'eip1559',
  chainId: CHAIN_ID,
  gas: 25_000n,
  maxFeePerGas: 300_000_000n,
  maxPriorityFeePerGas: 0n,
  value: 1n,
} as const;
const TIMEOUT_MS = 30_000;

const { addressOf, keccak256, toHex } = await builtLibrary('load/chain');
const { DEVELOPMENT_FUNDER_KEY, fundAccounts } = await builtLibrary('load/worker');
let loops: readonly ((deadlineMs: number) => Promise<number>)[] = [];

async function open({
  url,
  accounts,
}: {
  readonly url: string;
  readonly accounts: number;
}): Promise<undefined> {
  const keys = Array.from({ length: accounts }, (_, at) => keccak256(Buffer.from(`viem account ${at}`)));
  await fundAccounts({
    target: { url, timeoutMs: TIMEOUT_MS, chainId: CHAIN_ID, priorityFee: 0n },
    fundWei: FUND_WEI,
    funderKey: DEVELOPMENT_FUNDER_KEY,
    addresses: keys.map((key) => addressOf(key)),
  });
  const client = createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 0 }) });
  loops = keys.map((key) => {
    const account = privateKeyToAccount(toHex(key));
    let nonce = 0;
    return async (deadlineMs) => {
      const first = nonce;
      while (performance.now() < deadlineMs) {
        const fields = { ...FIELDS, to: account.address, nonce: nonce++ };
        const serializedTransaction = await account.signTransaction(fields);
        await client.sendRawTransaction({ serializedTransaction });
      }
      return nonce - first;
    };
  });
  return undefined;
}

serveParent<ViemLoopProtocol>({
  open,
  run: async ({ seconds }) => {
    const startMs = performance.now();
    const startCpu = process.cpuUsage();
    const sent = await Promise.all(loops.map((loop) => loop(startMs + seconds * 1_000)));
    const { user, system } = process.cpuUsage(startCpu);
    const count = sent.reduce((sum, own) => sum + own, 0);
    return { count, seconds: (performance.now() - startMs) / 1_000, cpuMs: (user + system) / 1_000 };
  },
});
