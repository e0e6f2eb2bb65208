/**
 * Telemetry of eight edges into Parquet: the product's columns compared with messages of rows. The edges run
 * on the main thread and record while the writer works; the clock stops when all files are complete and
 * synced.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { emptied } from './harness/emptied.ts';
import { describeMachine, isInMemory } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { renderTable, type Line } from './harness/table.ts';
import { ColumnEdge, RowEdge, type EdgeSource } from './telemetry/edge-source.ts';
import { WriterThread } from './telemetry/writer-thread.ts';

const EDGES = 8;
const ACCOUNTS = 1_000;
const TRANSACTIONS_FACTOR = 10;
/** The rows get less work by this factor, and take about as long. */
const ROWS_SHARE = 20;
const EVENTS_A_SECOND_LEAST = 1_000_000;
const ROWS_FACTOR = 20;
const EVENT_BYTES_MAX = 75;

const options = readOptions(process.argv.slice(2));
const transactions = options.entities * TRANSACTIONS_FACTOR;
const directory = join(options.directory, 'telemetry');
const rates = new Map<string, number[]>();
const sizes = new Map<string, number[]>();
const costs = new Map<string, number[]>();
const threads = { columns: new WriterThread('columns'), rows: new WriterThread('rows') };
// The first round is a warm-up: a run is longer than the compiler needs.
for (let round = 0; round <= options.rounds; round++) {
  await timeRound('columns', ColumnEdge, { count: transactions, isWarm: round > 0 });
  await timeRound('rows', RowEdge, { count: transactions / ROWS_SHARE, isWarm: round > 0 });
}
await Promise.all(Object.values(threads).map((thread) => thread.close()));
rmSync(directory, { recursive: true, force: true });

const lines: Line[] = [
  {
    title: 'events into Parquet',
    unit: '/s',
    figures: rates,
    reach: [{ against: 'rows', factor: ROWS_FACTOR }],
    bound: EVENTS_A_SECOND_LEAST,
  },
  { title: 'processor time an event, edges included', unit: 'ms', figures: costs, reach: [] },
  { title: 'bytes an event', unit: 'B', figures: sizes, reach: [], bound: EVENT_BYTES_MAX },
];
console.log(`## Telemetry, ${EDGES} edges of ${ACCOUNTS.toLocaleString('en-US')} accounts, Snappy

${describeMachine()}${isInMemory(options.directory) ? ', **files in memory**' : ''}. Seed ${options.seed}, medians of ${options.rounds} rounds of ${transactions.toLocaleString('en-US')} transactions.

${renderTable('columns', ['columns', 'rows'], lines)}
`);

async function timeRound(
  name: keyof typeof threads,
  Source: new (number: number, accounts: number, seed: number) => EdgeSource,
  { count, isWarm }: { readonly count: number; readonly isWarm: boolean },
): Promise<void> {
  emptied(directory);
  const edges = Array.from({ length: EDGES }, (_, number) => new Source(number, ACCOUNTS, options.seed));
  const thread = threads[name];
  await thread.begin(directory);
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  await Promise.all(edges.map((edge, number) => thread.push(number, edge, count / EDGES)));
  const bytes = await thread.end();
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(startCpu);
  if (!isWarm) return;
  const events = edges.reduce((sum, edge) => sum + edge.events, 0);
  note(rates, name, events / seconds);
  note(sizes, name, bytes / events);
  note(costs, name, (user + system) / 1_000 / events);
}

function note(figures: Map<string, number[]>, name: string, figure: number): void {
  figures.set(name, [...(figures.get(name) ?? []), figure]);
}
