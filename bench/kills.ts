/**
 * The built hive is killed with SIGKILL at random moments while edges push telemetry, and restarted over the
 * same directory: every acknowledged row must be in the parts exactly once.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fraction } from './data/random.ts';
import { BATCH_ROWS, rowsOfErrors } from './edges/error-rows.ts';
import { FakeEdge } from './edges/fake-edge.ts';
import { freePort } from './harness/free-port.ts';
import { describeMachine, isInMemory } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { HiveRuns } from './load/hive-runs.ts';
import { startHive } from './load/program.ts';

const EDGES = 4;
const ROUNDS = 50;
const ROUNDS_QUICK = 5;
/** Unacknowledged batches of an edge. */
const WINDOW = 32;
const PUSH_MS_MAX = 1_500;
const POLL_MS = 20;
const SCENARIO = {
  name: 'kills',
  // A chain that is never contacted: nothing is funded.
  target: { chain_id: 412_346, rpc_urls: ['http://127.0.0.1:1'], feed_url: 'ws://127.0.0.1:1' },
  accounts: { count: EDGES, fund_wei: '0', reclaim: false },
  load: { stages: [{ duration: '1h', rate: 1_000 }] },
  edges: { min: EDGES },
};

const args = process.argv.slice(2);
const options = readOptions(args);
const isChosen = args.includes('--rounds');
const rounds = isChosen ? options.rounds : args.includes('--quick') ? ROUNDS_QUICK : ROUNDS;
const data = join(options.directory, 'kills');
rmSync(data, { recursive: true, force: true });
const port = await freePort();
const total = { acknowledged: 0, afterwards: 0, refused: 0, lost: 0, doubled: 0 };
let hive = await startHive(data, port);
const edges = Array.from({ length: EDGES }, (_, at) => new FakeEdge(`edge-${at}`, `127.0.0.1:${port}`));
try {
  for (let round = 0; round < rounds; round++) await killOnce(round);
} finally {
  await Promise.all(edges.map(({ client }) => client.close({ isLeaving: true })));
  await hive.end();
}
print();

async function killOnce(round: number): Promise<void> {
  await until(() => edges.every(({ client }) => client.isConnected));
  const runId = await runsOf().create(SCENARIO);
  await until(() => edges.every((edge) => edge.runId === runId && edge.isRunning));
  const pushing = new AbortController();
  const pushes = Promise.all(edges.map((edge) => push(edge, pushing.signal)));
  await pause(fraction(options.seed, round, 0) * PUSH_MS_MAX);
  await hive.end('SIGKILL');
  pushing.abort();
  await pushes;
  const acknowledged = edges.map(({ client }) => client.batchTally(runId).acked);
  hive = await startHive(data, port);
  await runsOf().until(runId, ({ status }) => status === 'Failed');
  await compare(runId, acknowledged);
}

/** Sends batches as fast as the hive accepts them. */
async function push(edge: FakeEdge, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { acked } = edge.client.batchTally(edge.runId);
    if (edge.batches - acked < WINDOW) edge.push();
    await new Promise(setImmediate);
  }
}

/** Acknowledgements arrive in the order of the batches, so that they form a prefix of the pushed ones. */
async function compare(runId: string, before: readonly number[]): Promise<void> {
  const rows = await rowsOfErrors(join(data, 'runs', runId));
  for (const [at, { client, batches }] of edges.entries()) {
    const found = rows.get(`edge-${at}`) ?? [];
    const unique = new Set(found);
    const { acked, refused } = client.batchTally(runId);
    const promised = Array.from({ length: acked * BATCH_ROWS }, (_, row) => row);
    total.acknowledged += before[at] ?? 0;
    total.afterwards += acked - (before[at] ?? 0);
    total.refused += refused;
    total.lost += promised.filter((row) => !unique.has(row)).length;
    total.doubled += found.length - unique.size;
    if (acked + refused > batches)
      throw new Error(`expected at most ${batches} answers, got ${acked + refused}`);
  }
}

function runsOf(): HiveRuns {
  return new HiveRuns(hive.found[0] ?? '');
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(POLL_MS);
}

function print(): void {
  const count = (figure: number): string => figure.toLocaleString('en-US');
  const answer = `${count(total.lost)} lost, ${count(total.doubled)} doubled`;
  console.log(`## The hive killed ${rounds} times while ${EDGES} edges push telemetry

${describeMachine()}${isInMemory(options.directory) ? ', **files in memory**' : ''}. Seed ${options.seed}.

| kills | batches acknowledged before | after the restart | refused then | rows lost | rows doubled | reached |
| --- | --- | --- | --- | --- | --- | --- |
| ${rounds} | ${count(total.acknowledged)} | ${count(total.afterwards)} | ${count(total.refused)} | ${count(total.lost)} | ${count(total.doubled)} | ${total.lost + total.doubled === 0 ? 'yes' : '**no**'} |
`);
  if (total.lost + total.doubled > 0)
    throw new Error(`telemetry that was acknowledged is not right: ${answer}`);
}
