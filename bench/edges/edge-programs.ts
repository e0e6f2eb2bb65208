/**
 * A hive, the simulated sequencer and many programs `plexus-edge` on one machine: all are started at once,
 * register, take one run with its transactions through the whole chain, and are ended.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Report } from '../../libs/load/report/src/index.ts';
import type { EdgeInstance } from '../../libs/load/telemetry/src/index.ts';
import { HiveRuns } from '../load/hive-runs.ts';
import { type Program, startEdge, startHive, startSequencer } from '../load/program.ts';
import { builtLibrary } from '../targets/built-library.ts';

const { NodeDisk } = await builtLibrary('platform/disk');
const { readParts } = await builtLibrary('load/telemetry');

const POLL_MS = 50;
const US_PER_MS = 1_000;
const ACCOUNTS_PER_EDGE = 20;
const STEADY = 'steady';

export interface EdgePrograms {
  readonly count: number;
  readonly seconds: number;
  /** Transactions a second of all edges together. */
  readonly rate: number;
  /** Emptied. */
  readonly directory: string;
}

export interface ProgramFigures {
  /** From the start of the first edge until all are registered and connected. */
  readonly registeredMs: number;
  /** From the request for the run to its first measured stage. */
  readonly startedMs: number;
  /** From the first edge's first transaction to the first one of the last edge. */
  readonly spreadMs: number;
  readonly report: Report;
  /** Cores used in the measured stage; the edges together. */
  readonly cores: Readonly<Record<'hive' | 'sequencer' | 'edges', number>>;
  /** The peak of each; of the edges, that of the largest. */
  readonly peakMb: Readonly<Record<'hive' | 'sequencer' | 'edge', number>>;
}

/** Ends every program that it started, also after a failure. */
export async function measurePrograms(wanted: EdgePrograms): Promise<ProgramFigures> {
  rmSync(wanted.directory, { recursive: true, force: true });
  mkdirSync(wanted.directory, { recursive: true });
  const started: Promise<Program>[] = [];
  const start = (program: Promise<Program>): Promise<Program> => {
    started.push(program);
    return program;
  };
  try {
    return await measure(wanted, start);
  } finally {
    for (const one of await Promise.allSettled(started)) {
      if (one.status === 'fulfilled') await one.value.end();
    }
  }
}

async function measure(
  { count, seconds, rate, directory }: EdgePrograms,
  start: (program: Promise<Program>) => Promise<Program>,
): Promise<ProgramFigures> {
  const data = join(directory, 'data');
  const sequencer = await start(startSequencer());
  const hive = await start(startHive(data));
  const runs = new HiveRuns(hive.found[0] ?? '');
  const beganMs = performance.now();
  const starting = Array.from({ length: count }, (_, at) => {
    return start(startEdge(configOf(directory, `edge-${at + 1}`, hive.found[1] ?? '')));
  });
  const edges = await Promise.all(starting);
  while ((await runs.connected()) < count) await pause(POLL_MS);
  const registeredMs = performance.now() - beganMs;

  const createdMs = performance.now();
  const [rpcUrl = '', feedUrl = ''] = sequencer.found;
  const runId = await runs.create({
    name: 'edge programs',
    target: { chain_id: 412_346, rpc_urls: [rpcUrl], feed_url: feedUrl },
    accounts: { count: count * ACCOUNTS_PER_EDGE, reclaim: false, fund_wei: '1000000000000000000' },
    load: {
      model: 'open',
      stages: [
        { name: 'warm', duration: '3s', rate, exclude: true },
        { name: STEADY, duration: `${seconds}s`, rate },
      ],
    },
    edges: { min: count },
  });
  await runs.until(runId, ({ phase }) => phase === STEADY);
  const startedMs = performance.now() - createdMs;
  const cpuMs = (): number[] => [hive, sequencer, ...edges].map((program) => program.cpuMs);
  const [before, steadyMs] = [cpuMs(), performance.now()];
  await runs.until(runId, ({ phase }) => phase !== STEADY);
  const elapsedMs = performance.now() - steadyMs;
  const [hiveCores = NaN, sequencerCores = NaN, ...edgeCores] = cpuMs().map(
    (ms, at) => (ms - (before[at] ?? 0)) / elapsedMs,
  );
  const report = await runs.report(runId);
  return {
    registeredMs,
    startedMs,
    spreadMs: await spreadOf(join(data, 'runs', runId)),
    report,
    cores: {
      hive: hiveCores,
      sequencer: sequencerCores,
      edges: edgeCores.reduce((sum, one) => sum + one, 0),
    },
    peakMb: {
      hive: hive.peakMb,
      sequencer: sequencer.peakMb,
      edge: Math.max(...edges.map((edge) => edge.peakMb)),
    },
  };
}

function configOf(directory: string, name: string, address: string): string {
  const config = join(directory, `${name}.toml`);
  writeFileSync(config, `edge_id = "${name}"\n[hive]\naddress = "${address}"\n`);
  return config;
}

/** The time from the first edge's first transaction to that of the last edge, in ms. */
async function spreadOf(directory: string): Promise<number> {
  const first = new Map<string, number>();
  const names = readdirSync(directory).filter((name) => /^transactions-part-\d+\.parquet$/.test(name));
  await readParts({ disk: new NodeDisk(), directory }, names, ({ edgeId }: EdgeInstance, batches) => {
    for (const batch of batches) {
      if (batch.table !== 'transactions') continue;
      const sent = batch.columns.sent_us.values.filter((us) => !Number.isNaN(us));
      first.set(
        edgeId,
        sent.reduce((least, us) => Math.min(least, us), first.get(edgeId) ?? Infinity),
      );
    }
  });
  const times = [...first.values()];
  return (Math.max(...times) - Math.min(...times)) / US_PER_MS;
}
