/**
 * Load tests of a real node: through a proxy that falsifies answers, and of correct nodes in situations that
 * resemble faults.
 */
import { openSync, writeFileSync } from 'node:fs';
import { LIES } from '../../libs/load/testing/src/lies.ts';
import { LyingProxy } from '../../libs/load/testing/src/lying-proxy.ts';
import { MISHAPS } from '../../libs/load/testing/src/mishaps.ts';
import { INNOCENCES } from './innocences.mjs';
import { shown } from './local-load.mjs';
import { startOther } from './other-nodes.mjs';
import { CALLS, LANE_ARGS, WAYS } from './ways-and-calls.mjs';

/** The second development account, which signs the feed of the development sequencer. */
const FEED_SIGNER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const SCENARIO = {
  target: {
    chain_id: 412_346,
    rpc_urls: ['replaced'],
    feed_url: 'ws://replaced',
    rpc_timeout_ms: 5_000,
  },
  accounts: { count: 24, reclaim: false },
  load: { stages: [{ duration: '5s', rate: 40 }] },
  mix: [
    { kind: 'transfer', weight: 6 },
    { kind: 'erc20_transfer', weight: 2 },
    { kind: 'deploy', weight: 2, bytes: 10 },
  ],
  correlation: { timeout: '2s' },
  edges: { min: 2 },
};

/** Falsifications that cannot be attributed to the node with certainty. */
const NOT_KNOWN = [
  'receipt_malformed',
  'receipt_left_out',
  'receipts_garbage',
  'parent_hash_wrong',
  'feed_hashes_malformed',
];

/**
 * Answers that contradict other answers, but violate no guarantee. After a false rejection the nonce is used
 * again, and the later rejection may be unjustified; whether it is depends on whether the block was read
 * before.
 */
const DOUBTED = {
  other_hash_answered: ['reservations'],
  refused_and_executed: ['reservations', 'failed'],
  feed_frames_unreadable: ['reservations'],
  feed_time_drifts: ['reservations'],
  feed_time_goes_back: ['reservations'],
  feed_delayed_falls: ['reservations'],
  feed_confirms_ahead: ['reservations'],
  block_times_fall: ['reservations'],
  chain_id_changes: ['reservations'],
};

/** For each lie, the states in which the run may end; they never include a pass. */
export const EXPECTED_LIES = Object.fromEntries(
  Object.keys(LIES).map((name) => [
    name,
    NOT_KNOWN.includes(name) ? ['unknown'] : (DOUBTED[name] ?? ['failed']),
  ]),
);

/** Lies about calls and ways to send, with the node and the scenario in which they are told. */
const SETTINGS = {
  reverts_hidden: { scenario: CALLS },
  sync_receipts_false: { args: LANE_ARGS, scenario: WAYS },
  timeboosted_inverted: { args: LANE_ARGS, scenario: WAYS },
};

/** Exit codes for a failed run, or a violated guarantee. */
const GUILTY = [1, 11];

export function verdictRow({ name, state, exit, reasons, deviations }) {
  const said = deviations.length === 0 ? 'yes' : `NO: ${deviations.join(', ')}`;
  return `| ${[name, state, exit, reasons.join('; '), said].join(' | ')} |`;
}

export async function tryLie(load, hive, name) {
  const { args = ['--mode', 'anvil'], scenario: own } = SETTINGS[name] ?? {};
  const node = await startNode(load, name, args);
  const proxy = await LyingProxy.start({ rpcUrl: node.rpcUrl, feedUrl: node.feedUrl, lie: LIES[name] });
  try {
    // A modified message has an invalid signature, which alone would reveal the change.
    const isSigned = name === 'feed_signatures_junk';
    const more = isSigned ? ['--set', `target.feed_signer=${FEED_SIGNER}`] : [];
    const scenario = scenarioFile(load, own);
    const row = await judged(load, hive, { name, target: proxy, more, scenario });
    const expected = EXPECTED_LIES[name];
    return { ...row, deviations: expected.includes(row.state) ? [] : [`expected ${expected.join(' or ')}`] };
  } finally {
    await proxy.close();
    await load.stop(node.child);
  }
}

export async function tryInnocence(load, hive, name) {
  const { scenario: own, prepare, beside, mishap, ...allowed } = INNOCENCES[name];
  const node = await startInnocent(load, name);
  const prepared = await prepare?.({ load });
  const proxy = await proxyOf(node, mishap);
  try {
    const scenario = scenarioFile(load, own);
    const [row] = await Promise.all([
      judged(load, hive, { name, target: proxy ?? node, scenario }),
      beside({ load, hive, node, prepared, scenario, count: SCENARIO.accounts.count }),
    ]);
    return { ...row, deviations: accusationsOf(row, allowed) };
  } finally {
    await prepared?.end();
    await proxy?.close();
    await load.stop(node.child);
  }
}

/**
 * What the run says against the node. An aborted run has failed, and so has one whose node is right to
 * reject (`isRejecting`).
 */
function accusationsOf({ checks, found, reasons, state, exit }, allowed) {
  const { shows = [], isAborted = false, isRejecting = false } = allowed;
  const failed = Object.entries(checks).filter(([, verdict]) => verdict === 'fail');
  const isNothing = shows.length > 0 && !shows.some((code) => found.includes(code));
  const accusations = [
    [isNothing, 'nothing happened'],
    [reasons.includes('acked_lost'), 'acked_lost'],
    [state === 'failed' && !isAborted && !isRejecting, 'failed'],
    [GUILTY.includes(exit) && !(isAborted && exit === 1), `exit ${exit}`],
  ];
  return [
    ...failed.map(([check]) => `${check} fails`),
    ...accusations.filter(([isSaid]) => isSaid).map(([, what]) => what),
  ];
}

/** Undefined without a mishap. */
function proxyOf({ rpcUrl, feedUrl }, mishap) {
  return mishap === undefined ? undefined : LyingProxy.start({ rpcUrl, feedUrl, lie: MISHAPS[mishap] });
}

async function startInnocent(load, name) {
  const { node = 'anvil', blockMs = 250, fault, options = [] } = INNOCENCES[name];
  const args = [
    '--block-ms',
    String(blockMs),
    ...(fault === undefined ? [] : ['--fault', fault]),
    ...options,
  ];
  if (node === 'anvil') return startAnvil(load, name, args);
  return node === 'sim' ? startNode(load, name, ['--mode', 'sim', ...args]) : startOther(load, node);
}

function startAnvil(load, name, args) {
  return startNode(load, name, ['--mode', 'anvil', ...args]);
}

async function startNode(load, name, args) {
  const node = await load.startSequencer(`node-${name}`, args);
  if (node === undefined) throw new Error(`no node; see ${shown(load.logOf(`node-${name}`))}`);
  return node;
}

function scenarioFile(load, more = {}) {
  const path = load.path('lie-scenario.json');
  writeFileSync(path, JSON.stringify({ name: 'lie', ...SCENARIO, ...more }));
  return path;
}

async function judged(load, hive, { name, target, more = [], scenario = scenarioFile(load) }) {
  const out = openSync(load.logOf(`run-${name}`), 'w');
  const exit = await load.run(hive, target, {
    scenario,
    args: ['--set', `name=${name}`, ...more],
    stdio: ['ignore', out, out],
  });
  const { runs } = await (await fetch(`${hive.url}/runs`)).json();
  const reply = await fetch(`${hive.url}/runs/${runs[0].run_id}/report`);
  if (!reply.ok) throw new Error(`the report: ${reply.status} ${await reply.text()}`);
  const { verdict, oracle, findings } = await reply.json();
  const found = findings.map(({ code }) => code);
  const checks = Object.fromEntries(Object.entries(oracle).map(([check, found]) => [check, found.verdict]));
  return {
    name,
    exit,
    checks,
    found,
    state: verdict.state,
    reasons: verdict.reasons.map(({ code }) => code),
  };
}
