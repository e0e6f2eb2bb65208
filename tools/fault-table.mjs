/**
 * Runs a short load test against the simulated sequencer once for each of its faults, and prints the failed
 * checks of each. Then it tests a real node through a proxy that falsifies answers, once for each kind, and
 * no such run may pass; and correct nodes in situations that resemble faults, in which no check may fail.
 * Exits with 1 for any other result. Takes some twenty minutes; arguments select single cases by name.
 */
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPECTED } from './load/fault-expectations.mjs';
import { INNOCENCES } from './load/innocences.mjs';
import { EXPECTED_LIES, tryInnocence, tryLie, verdictRow } from './load/lie-table.mjs';
import { LocalLoad, root, shown } from './load/local-load.mjs';
import { LANE_ARGS, WAYS } from './load/ways-and-calls.mjs';

const EDGES = ['edge-1', 'edge-2'];
const FEED_COUNTERS = ['gaps', 'duplicates', 'reorganisations', 'disconnects'];
const SCENARIO = {
  name: 'fault',
  target: { chain_id: 412_346, rpc_urls: ['replaced'], feed_url: 'ws://replaced', rpc_timeout_ms: 4_000 },
  accounts: { count: 40, reclaim: false },
  load: { stages: [{ duration: '10s', rate: 50 }] },
  correlation: { timeout: '6s' },
  edges: { min: EDGES.length },
  thresholds: [
    { metric: 'tx_failed_ratio', max: 0 },
    { metric: 'feed_latency_p50_ms', max: 2_000 },
  ],
};

/** Nonzero counters of the feed, and of unexpected failures. */
function countersOf({ feed, errors, thresholds }) {
  const failures = errors.filter(({ expected }) => !expected).map(({ class: name, count }) => [name, count]);
  const late = thresholds.find(({ metric }) => metric === 'feed_latency_p50_ms');
  return Object.fromEntries(
    [
      ...FEED_COUNTERS.map((name) => [name, feed[name]]),
      ['misses', feed.correlation_misses],
      ['late', Number(late.value > late.max)],
      ...failures,
    ].filter(([, count]) => count > 0),
  );
}

/** The faults reported by the sequencer itself. */
function committedFaults(logFile) {
  const lines = readFileSync(logFile, 'utf8').split('\n');
  return lines.filter((line) => line.includes('"sequencer.fault"')).map((line) => JSON.parse(line));
}

/** The number of violations that name the faulty transaction, or its account. */
function namingOf({ oracle, errors }, faults) {
  const violations = Object.values(oracle).flatMap((check) => check.violations);
  const hashes = new Set(faults.flatMap(({ hash, hashes: several }) => hash ?? several ?? []));
  const accounts = new Set(faults.map(({ account }) => account));
  const isHash = (text) => hashes.has(text);
  if (violations.length === 0) {
    const samples = errors.filter(({ expected }) => !expected).map(({ sample_hash: hash }) => hash);
    return samples.length > 0 && samples.some(isHash) ? 'sample' : '';
  }
  const byHash = violations.filter(
    ({ hash, calls }) => isHash(hash) || calls.some(({ params }) => params.some(isHash)),
  );
  const byAccount = violations.filter(({ account }) => accounts.has(account));
  if (byHash.length > 0) return `${byHash.length} of ${violations.length}`;
  return `account, ${byAccount.length} of ${violations.length}`;
}

async function reportOf({ url }) {
  const { runs } = await (await fetch(`${url}/runs`)).json();
  const [{ run_id: runId }] = runs;
  const reply = await fetch(`${url}/runs/${runId}/report`);
  if (!reply.ok) throw new Error(`the report: ${reply.status} ${await reply.text()}`);
  return reply.json();
}

/** The differences from the expected result; empty without any. */
function deviationsOf(expected, { exit, verdicts, counters, log, summary }) {
  const { counters: must, may = [] } = expected;
  const names = Object.keys(counters);
  return [
    ...(exit === expected.exit ? [] : [`exit ${exit}`]),
    ...Object.entries(expected.verdicts)
      .filter(([check, verdict]) => verdicts[check] !== verdict)
      .map(([check]) => `${check} ${verdicts[check]}`),
    ...must.filter((name) => !names.includes(name) && !may.includes(name)).map((name) => `no ${name}`),
    ...names.filter((name) => !must.includes(name) && !may.includes(name)),
    ...(expected.refusal === undefined || log.includes(expected.refusal) ? [] : [`no ${expected.refusal}`]),
    ...(summary.is_balanced ? [] : ['counts do not add up']),
  ];
}

async function tryFault(load, hive, name) {
  const expected = EXPECTED[name];
  const fault = expected.value === undefined ? [] : ['--fault', `${name}=${expected.value}`];
  const sequencer = await load.startSequencer(`sequencer-${name}`, [
    ...['--log-format', 'json'],
    ...(expected.hasWays ? LANE_ARGS : ['--mode', 'sim']),
    ...fault,
  ]);
  if (sequencer === undefined) throw new Error(`no sequencer; see ${shown(load.logOf(`sequencer-${name}`))}`);
  const out = openSync(load.logOf(`run-${name}`), 'w');
  const exit = await load.run(hive, sequencer, {
    scenario: load.path(expected.hasWays ? 'ways-scenario.json' : 'scenario.json'),
    args: ['--set', `name=${name}`],
    stdio: ['ignore', out, out],
  });
  await load.stop(sequencer.child);
  const report = await reportOf(hive);
  const verdicts = Object.fromEntries(
    Object.entries(report.oracle).map(([check, { verdict }]) => [check, verdict]),
  );
  const faults = committedFaults(load.logOf(`sequencer-${name}`));
  const counters = countersOf(report);
  const log = readFileSync(load.logOf(`run-${name}`), 'utf8');
  const deviations = deviationsOf(expected, {
    exit,
    verdicts,
    counters,
    log,
    summary: report.summary,
  });
  return {
    name,
    exit,
    verdicts,
    counters,
    deviations,
    committed: faults.length,
    named: namingOf(report, faults),
  };
}

function rowOf({ name, exit, verdicts, counters, deviations, committed, named }) {
  const cells = [
    name,
    committed,
    ...['nonce', 'balance', 'gas'].map((check) => verdicts[check] ?? '–'),
    Object.entries(counters)
      .map(([counter, count]) => `${counter} ${count}`)
      .join(', '),
    exit,
    named,
    deviations.length === 0 ? 'yes' : `NO: ${deviations.join(', ')}`,
  ];
  return `| ${cells.join(' | ')} |`;
}

async function printFaults(load, hive, names) {
  if (names.length === 0) return;
  writeFileSync(load.path('scenario.json'), JSON.stringify(SCENARIO));
  writeFileSync(load.path('ways-scenario.json'), JSON.stringify({ ...SCENARIO, ...WAYS }));
  console.log('| fault | committed | nonce | balance | gas | counters | exit | named | as expected |');
  console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const name of names) {
    const row = await tryFault(load, hive, name);
    console.log(rowOf(row));
    if (row.deviations.length > 0) process.exitCode = 1;
  }
}

async function printVerdicts(what, names, attempt) {
  if (names.length === 0) return;
  console.log(`\n| ${what} | verdict | exit | reasons | as expected |`);
  console.log('| --- | --- | --- | --- | --- |');
  for (const name of names) {
    const row = await attempt(name);
    console.log(verdictRow(row));
    if (row.deviations.length > 0) process.exitCode = 1;
  }
}

const wanted = process.argv.slice(2);
const known = [EXPECTED, EXPECTED_LIES, INNOCENCES].flatMap((table) => Object.keys(table));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`fault-table: nothing is named ${unknown.join(', ')}: expected ${known.join(', ')}`);
  process.exit(2);
}
const chosen = (table) => Object.keys(table).filter((name) => wanted.length === 0 || wanted.includes(name));
const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
const load = new LocalLoad(join(root, 'plexus-demo', `faults-${stamp}`));
try {
  const hive = await load.startHive();
  await load.startEdges(hive, EDGES);
  await printFaults(load, hive, chosen(EXPECTED));
  await printVerdicts('lie', chosen(EXPECTED_LIES), (name) => tryLie(load, hive, name));
  await printVerdicts('innocence', chosen(INNOCENCES), (name) => tryInnocence(load, hive, name));
} catch (error) {
  console.error(`fault-table: ${error.message}`);
  process.exitCode = 1;
} finally {
  await load.stopAll();
}
console.log(`\nlogs, runs and reports: ${shown(load.directory)}`);
