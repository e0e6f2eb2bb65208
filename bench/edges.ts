/**
 * A thousand edges in one process, and the built hive: they register, are quiet for a while, acknowledge a
 * run, start, send heartbeats and push telemetry once a second over their own connections, and are drained.
 * Nothing may be lost. With `--programs`, that many programs `plexus-edge` instead, with a sequencer.
 */
import { rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EdgesCount, EdgesProtocol, StartSpread } from './edges/edges-protocol.ts';
import { measurePrograms, type ProgramFigures } from './edges/edge-programs.ts';
import { BATCH_ROWS, rowsOfErrors } from './edges/error-rows.ts';
import { RemoteProcess } from './harness/child-process.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { HiveRuns } from './load/hive-runs.ts';
import { type Program, startHive } from './load/program.ts';

const EDGES = 1_000;
const SECONDS = 60;
const FAN_OUT_MS_MAX = 2_000;
const HIVE_MB_MAX = 500;
const EDGES_MB_MAX = 1_000;
const QUIET_SECONDS = 30;
/** A fifth of a core. */
const QUIET_MS_MAX = 200;

/** Transactions a second of all programs. */
const PROGRAM_RATE = 500;

const options = readOptions(process.argv.slice(2));
const seconds = options.seconds ?? SECONDS;
const data = join(options.directory, 'edges');
if (options.programs === undefined) await runFakeEdges();
else await runPrograms(options.programs);

async function runPrograms(count: number): Promise<void> {
  const rate = options.rate ?? PROGRAM_RATE;
  printPrograms(count, rate, await measurePrograms({ count, seconds, rate, directory: data }));
}

async function runFakeEdges(): Promise<void> {
  rmSync(data, { recursive: true, force: true });
  const hive = await startHive(data);
  const host = new RemoteProcess<EdgesProtocol>(new URL('./edges/edges-host.ts', import.meta.url));
  try {
    await measure(hive, host);
  } finally {
    await host.end();
    await hive.end();
  }
}

async function measure(hive: Program, host: RemoteProcess<EdgesProtocol>): Promise<void> {
  const [url = '', address = ''] = hive.found;
  const openMs = await host.call('open', { address, count: EDGES });
  const quietMs = await quietCost(hive);
  const runs = new HiveRuns(url);
  const createdMs = performance.now();
  const runId = await runs.create({
    name: 'edges',
    // A chain that is never contacted: nothing is funded.
    target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
    accounts: { count: EDGES, fund_wei: '0', reclaim: false },
    load: { stages: [{ duration: '1h', rate: 1_000 }] },
    edges: { min: EDGES },
  });
  const spread = await host.call('started', undefined);
  const startMs = performance.now() - createdMs;
  const cpuMs = hive.cpuMs;
  await host.call('keepUp', { seconds });
  const cores = (hive.cpuMs - cpuMs) / (seconds * 1_000);
  await runs.stop(runId);
  await runs.until(runId, ({ status }) => status === 'Completed');
  const count = await host.call('counts', undefined);
  const rows = await rowsOfErrors(join(data, 'runs', runId));
  const found = [...rows.values()].reduce((sum, { length }) => sum + length, 0);
  print({ openMs, quietMs, startMs, spread, cores, count, found, hiveMb: hive.peakMb });
}

/** Processor time of the hive per second with idle edges. */
async function quietCost(hive: Program): Promise<number> {
  // Work after the connection must not count as idle.
  await pause(2_000);
  const cpuMs = hive.cpuMs;
  await pause(QUIET_SECONDS * 1_000);
  return (hive.cpuMs - cpuMs) / QUIET_SECONDS;
}

interface Measured {
  readonly openMs: number;
  readonly quietMs: number;
  readonly startMs: number;
  readonly spread: StartSpread;
  readonly cores: number;
  readonly count: EdgesCount;
  readonly found: number;
  readonly hiveMb: number;
}

function print({ openMs, quietMs, startMs, spread, cores, count, found, hiveMb }: Measured): void {
  const lines = [
    line('all registered and connected', 'ms', openMs),
    line('processor time of the hive in a second while all are quiet', 'ms', quietMs, QUIET_MS_MAX),
    line('run created, acknowledged and started by all', 'ms', startMs),
    line('start: from the first edge that hears of it to the last', 'ms', spread.fanOutMs, FAN_OUT_MS_MAX),
    line('memory of the hive at its most', 'MB', hiveMb, HIVE_MB_MAX),
    line('memory of the process of the edges', 'MB', count.peakMb, EDGES_MB_MAX),
  ];
  const isWhole = count.acked === count.pushed && found === count.pushed * BATCH_ROWS;
  const answer = isWhole
    ? 'none lost, none doubled'
    : `**${count.acked} acknowledged, ${found} rows in the parts**`;
  console.log(`## A hive with ${EDGES.toLocaleString('en-US')} edges for ${seconds} s

${describeMachine()}. One round. Load of the machine over the last five minutes: ${loadavg()[1]?.toFixed(1) ?? '?'}.

${renderTable('plexus', ['plexus'], lines)}

${count.pushed.toLocaleString('en-US')} batches of ${BATCH_ROWS} rows pushed: ${answer}. ${count.refused} refused, ${count.disconnections} connections lost. The hive used ${cores.toFixed(2)} cores. The edge that heard last had ${spread.aheadMs.toFixed(0)} ms before its first transaction.
`);
  if (!isWhole) process.exitCode = 1;
}

function line(title: string, unit: Line['unit'], figure: number, bound?: number): Line {
  const figures = new Map([['plexus', [figure]]]);
  return { title, unit, figures, reach: [], ...(bound !== undefined && { bound }) };
}

function printPrograms(count: number, rate: number, measured: ProgramFigures): void {
  const { registeredMs, startedMs, spreadMs, report, cores, peakMb } = measured;
  const { summary, latency, generator, oracle } = report;
  const lines = [
    line('all registered and connected', 'ms', registeredMs),
    line('run created until its measured stage', 'ms', startedMs),
    line('from the first transaction of the first edge to that of the last', 'ms', spreadMs),
    line('transactions through the whole chain', '/s', summary.achieved_rate),
    line('send delay, p50', 'ms', latency.send_delay?.p50 ?? Number.NaN),
    line('send delay, p99', 'ms', latency.send_delay?.p99 ?? Number.NaN),
    line('memory of the hive at its most', 'MB', peakMb.hive),
    line('memory of the largest edge at its most', 'MB', peakMb.edge),
  ];
  const isWhole = summary.is_balanced && summary.included === summary.sent && generator.events_dropped === 0;
  const ends = Object.groupBy(report.edges, ({ end }) => end ?? 'none');
  const ended = Object.entries(ends).map(([end, edges]) => `${edges?.length ?? 0} ${end}`);
  const verdicts = Object.entries(oracle).map(([check, { verdict }]) => `${check} ${verdict}`);
  const used = Object.entries(cores).map(([name, figure]) => `${name} ${figure.toFixed(2)}`);
  console.log(`## A hive with ${count} programs plexus-edge, ${rate} transactions a second for ${seconds} s

${describeMachine()}. One round. Load of the machine over the last five minutes: ${loadavg()[1]?.toFixed(1) ?? '?'}.

${renderTable('plexus', ['plexus'], lines)}

${summary.included.toLocaleString('en-US')} of ${summary.sent.toLocaleString('en-US')} sent transactions included, ${summary.not_sent.toLocaleString('en-US')} not sent. Edges: ${ended.join(', ')}. Oracle: ${verdicts.join(', ')}. Cores used: ${used.join(', ')}. ${report.headline}
`);
  if (!isWhole || ended.length !== 1 || report.edges.length !== count) process.exitCode = 1;
}
