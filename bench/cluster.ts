/**
 * A graph over a shared store compared with one over a directory, and with PostgreSQL's own rate for the same
 * rows in one table; and the delay of a second node while the first is written to. `--delay`: writers on one
 * node and on two, with a longer network. `--size`: what a node takes.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Graph } from '../libs/graph/engine/src/index.ts';
import { delayedWriters } from './cluster/delayed-writers.ts';
import { nodeSizes } from './cluster/node-sizes.ts';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { entityRows, probeRow } from './data/rows.ts';
import { emptied } from './harness/emptied.ts';
import { freePort } from './harness/free-port.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { timeRound, timeWriters } from './harness/stopwatch.ts';
import { type Line, renderTable, type Unit } from './harness/table.ts';
import { builtLibrary } from './targets/built-library.ts';
import { openPlexus, plexusOver } from './targets/plexus.ts';
import { openPostgres, startServer } from './targets/postgres.ts';
import type { Target } from './targets/target.ts';

const BATCH = 1_000;
const WRITERS = 64;
const WARM_UP = 10;
/** Reads cost the same; rounds of a few hundredths of a second differ by some per cent. */
const WITHIN_NOISE = 0.95;
const LAG_BATCHES_PER_SECOND = 100;
const LAG_BATCH = 10;
const LAG_SECONDS = 10;
const LAG_BOUND_MS = 100;
/** A turn is longer than what other rounds measure. */
const DELAY_ROUNDS = 10;
const SILENT = { info: () => undefined, warn: () => undefined, error: () => undefined };

const { Graph: GraphClass } = await builtLibrary('graph/engine');
const { parseStoreAddress, SharedStore } = await builtLibrary('graph/cluster');
const { NodeDisk } = await builtLibrary('platform/disk');

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const directory = join(options.directory, 'cluster');
emptied(directory);
const port = await freePort();
const server = await startServer(join(directory, 'database'), port, true);

function openNode(name: string): Promise<Graph> {
  const disk = new NodeDisk();
  const address = parseStoreAddress(`postgres://postgres:bench@127.0.0.1:${String(port)}/postgres`);
  const copy = { disk, directory: join(directory, name) };
  return SharedStore.open({ address, schema: 'plexus', node: name, log: SILENT, copy }).then((store) =>
    GraphClass.over(store, {}),
  );
}

const setup = (name: string) => ({ directory: join(directory, name), questions, isNew: true });
const targets: Record<string, Target> = {};

try {
  if (options.mode === 'delay') await showDelays();
  else if (options.mode === 'size') await showSizes();
  else await showTargets();
} finally {
  for (const target of Object.values(targets)) await target.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

async function showDelays(): Promise<void> {
  const { rounds } = options;
  const roundMs = DELAY_ROUNDS * options.roundMs;
  const [pid] = readFileSync(join(directory, 'database', 'data', 'postmaster.pid'), 'utf8').split('\n');
  const table = await delayedWriters({ port, databasePid: Number(pid), directory, rounds, roundMs });
  console.log(`## A shared store behind a longer network

${describeMachine()}. Medians of ${String(rounds)} rounds, one node and two in turn. The database, its clients and
all nodes share the machine.

${table}
`);
}

async function showSizes(): Promise<void> {
  const { seed } = options;
  console.log(`## Size of a node

${describeMachine()}. Seed ${String(seed)}. A quarter of the records are entities. The database and the nodes share the machine;
files are in the page cache.

${await nodeSizes({ port, directory, seed })}
`);
}

async function showTargets(): Promise<void> {
  targets['shared'] = await plexusOver(questions, () => openNode('a'));
  targets['directory'] = await openPlexus(setup('local'));
  targets['table'] = await openPostgres(setup('table'));
  const lines = [
    await inRounds('batches of 1,000', '/s', [{ against: 'table', factor: 0.5 }], addBatch),
    await inRounds('64 single writers', '/s', [{ against: 'table', factor: 0 }], (target) =>
      timeWriters((at) => target.addOne?.(probeRow(data, at)), {
        writers: WRITERS,
        leastMs: options.roundMs,
      }),
    ),
    await inRounds('one entity by id', '/s', [{ against: 'directory', factor: WITHIN_NOISE }], lookUp),
    await lagOfFollower(),
  ];
  console.log(`## A shared store

${describeMachine()}. Seed ${String(options.seed)}, medians of ${String(options.rounds)} rounds, in turn. The database, its
clients and both nodes share the machine.

${renderTable('shared', Object.keys(targets), lines)}
`);
}

/** Targets take turns; the first round is a warm-up. */
async function inRounds(
  title: string,
  unit: Unit,
  reach: Line['reach'],
  measure: (target: Target, round: number) => Promise<number>,
): Promise<Line> {
  const figures = new Map<string, number[]>(Object.keys(targets).map((name) => [name, []]));
  for (let round = 0; round <= options.rounds; round++) {
    for (const [name, target] of Object.entries(targets)) {
      const figure = await measure(target, round);
      if (round > 0) figures.get(name)?.push(figure);
    }
  }
  return { title, unit, figures, reach };
}

/** Records per second, in batches that were not written before. */
async function addBatch(target: Target, round: number): Promise<number> {
  const batches = Math.max(1, Math.floor(data.entityCount / BATCH / (options.rounds + 1)));
  const startMs = performance.now();
  for (let at = 0; at < batches; at++) {
    const first = (round * batches + at) * BATCH;
    await target.addEntities(entityRows(data, first, first + BATCH));
  }
  return (batches * BATCH * 1_000) / (performance.now() - startMs);
}

/** Completes the remaining work of earlier rounds first. */
async function lookUp(target: Target, round: number): Promise<number> {
  const written = Math.floor(data.entityCount / BATCH / (options.rounds + 1)) * BATCH * (options.rounds + 1);
  if (round === 0) await target.addEntities(entityRows(data, written, data.entityCount));
  const { lookup } = target.operations;
  if (lookup === undefined) return 0;
  // Pages of entities are unpacked on first read, which must not be measured.
  const leastMs = round === 0 ? WARM_UP * options.roundMs : options.roundMs;
  return 1_000 / (await timeRound(lookup, leastMs)).msPerCall;
}

/** Measures the time from the acknowledgement of a batch on one node until another node shows it. */
async function lagOfFollower(): Promise<Line> {
  const [a, b] = [await openNode('lag-a'), await openNode('lag-b')];
  const lags: number[] = [];
  const waits: Promise<unknown>[] = [];
  const startMs = performance.now();
  for (let at = 0; at < LAG_SECONDS * LAG_BATCHES_PER_SECOND; at++) {
    const dueMs = startMs + (at * 1_000) / LAG_BATCHES_PER_SECOND;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
    const entities = Array.from({ length: LAG_BATCH }, (_, i) => {
      const key = `lag-${String(at)}-${String(i)}`;
      return { type: 'host', key, class: 'Host', displayName: key, properties: {} };
    });
    waits.push(
      a.write({ entities, relationships: [] }).then(async () => {
        const acknowledgedMs = performance.now();
        await b.reached(a.durableVersion, 60_000);
        lags.push(performance.now() - acknowledgedMs);
      }),
    );
  }
  await Promise.all(waits);
  await a.close();
  await b.close();
  lags.sort((one, other) => one - other);
  const p99 = lags[Math.floor(lags.length * 0.99)] ?? 0;
  const title = 'a follower behind at 1,000 records/s, p99';
  return { title, unit: 'ms', figures: new Map([['shared', [p99]]]), reach: [], bound: LAG_BOUND_MS };
}
