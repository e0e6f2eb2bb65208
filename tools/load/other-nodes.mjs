/** Nodes of other projects as their users start them, without a feed: `npm ci --prefix tools/nodes`. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './local-load.mjs';

const NODES = join(root, 'tools', 'nodes');
const MNEMONIC = 'test test test test test test test test test test test junk';
const CHAIN_ID = 31_337;

/** The target settings of a run against them. */
export const NODE_SCENARIO = {
  target: { chain_id: CHAIN_ID, rpc_urls: ['replaced'], rpc_timeout_ms: 15_000 },
  accounts: { count: 10, fund_wei: '100000000000000000', reclaim: false },
  load: { stages: [{ duration: '5s', rate: 6 }] },
  correlation: { feed: 'off', timeout: '10s' },
  fees: { priority_fee_wei: '2000000000', max_fee_multiplier: 10 },
};

const KINDS = {
  hardhat: {
    script: join(NODES, 'node_modules', 'hardhat', 'internal', 'cli', 'cli.js'),
    args: (port) => ['node', '--hostname', '127.0.0.1', '--port', String(port)],
  },
  ganache: {
    script: join(NODES, 'node_modules', 'ganache', 'dist', 'node', 'cli.js'),
    args: (port) => [
      ...['--server.host', '127.0.0.1', '--server.port', String(port), '--logging.quiet'],
      ...['--chain.chainId', String(CHAIN_ID), '--miner.blockTime', '1', '--wallet.mnemonic', MNEMONIC],
    ],
  },
};

/** Its address, without a feed. Throws when it is not installed. */
export async function startOther(load, kind) {
  const { script, args } = KINDS[kind];
  if (!existsSync(script)) throw new Error(`${kind} is not installed: npm ci --prefix tools/nodes`);
  const port = await load.freePort();
  const options = { cwd: NODES, env: { ...process.env, CI: '1', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true' } };
  const child = load.startScript(kind, script, args(port), options);
  const rpcUrl = `http://127.0.0.1:${port}`;
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const headers = { 'content-type': 'application/json' };
  await load.until(
    `${kind} answers`,
    async () => (await fetch(rpcUrl, { method: 'POST', headers, body })).ok,
  );
  return { child, rpcUrl };
}
