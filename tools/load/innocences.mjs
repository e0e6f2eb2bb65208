/**
 * Situations in which a correct sequencer resembles a faulty one, and the actions that cause them during a
 * run.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fromHex, signTransaction, toHex } from '#load/chain';
import { AddressBook, DEVELOPMENT_FUNDER_KEY, DEVELOPMENT_ACCOUNTS, fundAccounts } from '#load/worker';
import { MISHAPS } from '../../libs/load/testing/src/mishaps.ts';
import { LocalLoad } from './local-load.mjs';
import { NODE_SCENARIO } from './other-nodes.mjs';
import { CALLS, LANE_ARGS, READS, WAYS } from './ways-and-calls.mjs';

const CHAIN_ID = 412_346;
const FUND_WEI = 10n ** 18n;
const FEE_WEI = 10n ** 10n;
/** After this time a run is in the middle of its load. */
const MIDST_MS = 1_500;
const POLL_MS = 100;
const ROUND_MS = 330;

async function ask({ rpcUrl }, method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return (await reply.json()).result;
}

/** A second hive with its own edges, which use the same accounts. */
async function startOtherHive({ load }) {
  const other = new LocalLoad(join(load.directory, 'other'));
  const hive = await other.startHive();
  await other.startEdges(hive, ['other-1', 'other-2']);
  return { other, hive, end: () => other.stopAll() };
}

/** Runs a load from another hive at the same time. */
async function runOtherHive({ node, scenario, prepared: { other, hive } }) {
  await other.run(hive, node, { scenario, stdio: 'ignore' });
}

/** Transactions that wait for earlier nonces: the run sends those, and then the others are included. */
async function leftovers({ node, count }) {
  const book = await AddressBook.derive(DEVELOPMENT_ACCOUNTS, 0, count);
  const addresses = Array.from({ length: count }, (_, at) => book.at(at));
  await fundAccounts({
    target: { url: node.rpcUrl, timeoutMs: 5_000, chainId: CHAIN_ID, priorityFee: 0n },
    funderKey: DEVELOPMENT_FUNDER_KEY,
    addresses,
    fundWei: FUND_WEI,
  });
  for (let at = 0; at < count; at += 3) {
    const next = Number(await ask(node, 'eth_getTransactionCount', toHex(addresses[at]), 'latest'));
    const fields = { chainId: CHAIN_ID, nonce: next + 3, to: addresses[(at + 1) % count], value: 5n };
    const gas = { gasLimit: 21_000n, maxFeePerGas: FEE_WEI, maxPriorityFeePerGas: 1n, data: fromHex('0x') };
    const { raw } = signTransaction({ ...fields, ...gas }, DEVELOPMENT_ACCOUNTS.keyOf(at));
    await ask(node, 'eth_sendRawTransaction', toHex(raw));
  }
}

/** Resolves when the hive's run is in the middle of its load. */
async function midst({ url }) {
  for (;;) {
    const { runs } = await (await fetch(`${url}/runs?limit=1`)).json();
    if (runs[0]?.phase === 'steady') break;
    await pause(POLL_MS);
  }
  await pause(MIDST_MS);
}

const nothing = async () => undefined;

/** Blocks are replaced before, or just after, an edge has read them; the feed does not repeat them. */
async function shortReorganisations({ node, hive }) {
  await midst(hive);
  for (let round = 0; round < 6; round++) {
    await ask(node, 'anvil_reorg', 1 + (round % 2), []);
    await pause(ROUND_MS);
  }
}

/** During the settling of the run. */
async function abort({ hive: { url } }) {
  for (;;) {
    const { runs } = await (await fetch(`${url}/runs?limit=1`)).json();
    const [{ run_id: runId, phase }] = runs;
    if (phase === 'settling') {
      const headers = { 'content-type': 'application/json' };
      await fetch(`${url}/runs/${runId}/stop`, { method: 'POST', headers, body: '{"mode":"abort"}' });
      return;
    }
    await pause(POLL_MS);
  }
}

/**
 * By name: the node and its block time; a mishap of its answers; changes of the scenario, actions before and
 * during the run, findings of which one must show that the situation occurred, and whether it is aborted.
 */
export const INNOCENCES = {
  two_hives_one_seed: {
    shows: ['foreign'],
    isRejecting: true,
    prepare: startOtherHive,
    beside: runOtherHive,
  },
  leftovers: { shows: ['foreign'], isRejecting: true, beside: leftovers },
  reorganisation: {
    shows: ['block_replaced', 'feed_unconfirmed'],
    beside: async ({ node, hive }) => {
      await midst(hive);
      await ask(node, 'anvil_reorg', 6, []);
    },
  },
  short_reorganisations: { shows: ['block_replaced', 'feed_unconfirmed'], beside: shortReorganisations },
  slow_node: { blockMs: 6_000, beside: nothing },
  late_messages: { node: 'sim', fault: 'delay_feed_ms=1500', beside: nothing },
  tips: { scenario: { fees: { priority_fee_wei: '1000000000' } }, beside: nothing },
  ...Object.fromEntries(
    Object.keys(MISHAPS)
      .filter((mishap) => mishap !== 'receipts_slow')
      .map((mishap) => [mishap, { mishap, beside: nothing }]),
  ),
  calls_and_reads: { scenario: { ...CALLS, ...READS }, beside: nothing },
  calls_with_slow_receipts: { scenario: CALLS, mishap: 'receipts_slow', beside: nothing },
  ways_to_send: { node: 'sim', options: LANE_ARGS.slice(2), scenario: WAYS, beside: nothing },
  ways_with_slow_receipts: {
    node: 'sim',
    options: LANE_ARGS.slice(2),
    scenario: WAYS,
    mishap: 'receipts_slow',
    beside: nothing,
  },
  ways_with_late_messages: {
    node: 'sim',
    fault: 'delay_feed_ms=1500',
    options: LANE_ARGS.slice(2),
    scenario: WAYS,
    beside: nothing,
  },
  ways_with_lost_feed: {
    node: 'sim',
    fault: 'disconnect_feed_every=8',
    options: LANE_ARGS.slice(2),
    scenario: WAYS,
    beside: nothing,
  },
  abort_with_slow_receipts: { mishap: 'receipts_slow', isAborted: true, beside: abort },
  anvil: { beside: nothing },
  hardhat: { node: 'hardhat', scenario: NODE_SCENARIO, beside: nothing },
  ganache: { node: 'ganache', scenario: NODE_SCENARIO, beside: nothing },
};
