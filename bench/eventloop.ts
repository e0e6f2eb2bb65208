/**
 * Delays of the event loop while one process ingests and answers queries as the server does: 64 single
 * writers, batches of 1,000, and all query workloads in turn, on a loaded store.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { entityRows, probeRow, type EntityRow } from './data/rows.ts';
import { loadTarget } from './graph/load-target.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { renderTable, significant, type Line } from './harness/table.ts';
import { openTarget } from './targets/registry.ts';

const WRITERS = 64;
const BATCH_ROWS = 1_000;
const BATCHES_AHEAD = 50;
/** A round must be long enough to include flushes and seals. */
const ROUND_FACTOR = 20;
const P99_MS_MAX = 50;
const NS_A_MS = 1e6;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const directory = join(options.directory, 'eventloop');
emptied(directory);
await loadTarget('plexus', { directory, questions, data });
const target = await openTarget('plexus', { directory, questions, isNew: false });
const operations = Object.values(target.operations);
// Built in advance: work of the benchmark must not be attributed to the engine.
const batches = Array.from({ length: BATCHES_AHEAD }, (_, at) => changedRows(at));
const singles = Array.from({ length: BATCH_ROWS * 10 }, (_, at) => probeRow(data, at));

const done = { singles: 0, batches: 0, queries: 0 };
const delays = { p50: [] as number[], p99: [] as number[], most: [] as number[] };
for (let round = 0; round < options.rounds; round++) await timeRound();
await target.close();
rmSync(directory, { recursive: true, force: true });

const lines: Line[] = [
  { title: 'delay p50', unit: 'ms', figures: new Map([['plexus', delays.p50]]), reach: [] },
  {
    title: 'delay p99',
    unit: 'ms',
    figures: new Map([['plexus', delays.p99]]),
    reach: [],
    bound: P99_MS_MAX,
  },
  { title: 'longest delay', unit: 'ms', figures: new Map([['plexus', delays.most]]), reach: [] },
];
const seconds = (options.rounds * options.roundMs * ROUND_FACTOR) / 1_000;
console.log(`## Event loop, ${data.entityCount.toLocaleString('en-US')} entities

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds of ${(options.roundMs * ROUND_FACTOR) / 1_000} s.
In a second: ${significant(done.singles / seconds)} single writes, ${significant(done.batches / seconds)} batches of 1,000, ${significant(done.queries / seconds)} queries.

${renderTable('plexus', ['plexus'], lines)}
`);

async function timeRound(): Promise<void> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const end = performance.now() + options.roundMs * ROUND_FACTOR;
  const repeat = async (turn: () => Promise<unknown>): Promise<void> => {
    while (performance.now() < end) await turn();
  };
  delay.enable();
  await Promise.all([
    ...Array.from({ length: WRITERS }, () =>
      repeat(async () => target.addOne?.(singles[done.singles++ % singles.length] ?? probeRow(data, 0))),
    ),
    repeat(async () => target.addEntities(batches[done.batches++ % batches.length] ?? [])),
    repeat(async () => {
      await operations[done.queries % operations.length]?.(done.queries);
      done.queries++;
      await new Promise(setImmediate);
    }),
  ]);
  delay.disable();
  // The histogram holds the times between two ticks of its own timer of 1 ms.
  delays.p50.push(delay.percentile(50) / NS_A_MS - 1);
  delays.p99.push(delay.percentile(99) / NS_A_MS - 1);
  delays.most.push(delay.max / NS_A_MS - 1);
}

/** Existing entities, changed, so that the delta grows as in practice. */
function changedRows(batch: number): EntityRow[] {
  const start = (batch * BATCH_ROWS) % Math.max(1, data.entityCount - BATCH_ROWS);
  return entityRows(data, start, Math.min(start + BATCH_ROWS, data.entityCount)).map((row) => ({
    ...row,
    body: { ...row.body, properties: { ...row.body.properties, cpu: row.body.properties.cpu + 1 + batch } },
  }));
}
