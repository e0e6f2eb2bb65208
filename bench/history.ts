/**
 * What history costs, and what a question as of a moment does: stores with and without history, each in a
 * process of its own, take the same batches in turn; then one that keeps history is asked the same questions
 * now, and as of moments since which 5 % of its records have changed. `--before <checkout>` adds a store
 * without history of another build.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { commitOf } from './harness/checkout.ts';
import { RemoteProcess } from './harness/child-process.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { median } from './harness/stopwatch.ts';
import { type Line, renderTable, significant } from './harness/table.ts';
import type { Rows, StoreProtocol } from './history/history-store.ts';

const [KEPT, OFF, BEFORE] = ['history', 'off', 'off, before'] as const;
const HISTORY_MS = 7 * 86_400_000;
const INGEST_FACTOR = 0.9;
const ASKED_FACTOR = 3;
const CHANGED_SHARE = 0.05;
const BATCH_ROWS = 1_000;

type Store = RemoteProcess<StoreProtocol>;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const counts = { entities: data.entityCount, relationships: data.links.count };
const records = counts.entities + counts.relationships;
const { state, start } = askOf(data, options.seed);
const ASKINGS = ['now', 'first', 'then', 'before'] as const;
/** Each moment is later than those before: its graph does not begin with one of them. */
const STEP = 2;
const QUESTIONS = new Map([
  ['a count by a value', `FIND host WITH state = '${state}' RETURN COUNT`],
  ['a page of 1,000 entities', `FIND host WITH state = '${state}'`],
  ['groups', 'FIND host GROUP BY region'],
  ['two hops', 'FIND user THAT OWNS host THAT RUNS service RETURN COUNT'],
  [
    'blast radius, depth 8',
    `FIND BLAST RADIUS FROM ${start.type} WITH _key = '${start.key}' VIA RELATES TO >> DEPTH 8`,
  ],
  ['all relationships of hosts', 'FIND host THAT RELATES TO * AS o GROUP BY o._type'],
]);

const directory = join(options.directory, 'history');
const stores = new Map<string, Store>();
for (const [name, historyMs, checkout] of [
  [KEPT, HISTORY_MS, undefined],
  [OFF, 0, undefined],
  ...(options.before === undefined ? [] : [[BEFORE, 0, options.before] as const]),
] as const) {
  const store: Store = new RemoteProcess(new URL('./history/history-store.ts', import.meta.url));
  stores.set(name, store);
  const { entities, seed } = options;
  const own = emptied(join(directory, name.replaceAll(/\W+/g, '-')));
  await store.call('open', { directory: own, historyMs, entities, seed, checkout });
}
try {
  const created = {
    entities: await written('entities', 1),
    relationships: await written('relationships', 1),
  };
  const createdBytes = await historyBytes();
  const updated = await written('entities', 2);
  const updatedBytes = await historyBytes();
  const asked = await askedNow();
  const past = await askedOfPast();
  print({ created, createdBytes, updated, updatedBytes, asked, past });
} finally {
  await Promise.all([...stores.values()].map((store) => store.end()));
  rmSync(directory, { recursive: true, force: true });
}

function storeOf(name: string): Store {
  const store = stores.get(name);
  if (store === undefined) throw new Error(`no store ${name}`);
  return store;
}

/**
 * Rows a second of each store, by batch. The stores take the batches in turn, so that both seal and merge at
 * the same time, and what slows the machine slows both.
 */
async function written(rows: Rows['rows'], version: number): Promise<Map<string, number[]>> {
  const rates = new Map<string, number[]>([...stores.keys()].map((name) => [name, []]));
  let turns = [...stores];
  for (const { start, end } of batchesOf(counts[rows])) {
    for (const [name, store] of turns) {
      const ms = await store.call('write', { rows, start, end, version });
      rates.get(name)?.push(((end - start) * 1_000) / ms);
    }
    turns = turns.reverse();
  }
  return rates;
}

function* batchesOf(count: number): Generator<{ readonly start: number; readonly end: number }> {
  for (let start = 0; start < count; start += BATCH_ROWS)
    yield { start, end: Math.min(start + BATCH_ROWS, count) };
}

/** What the history of the records so far takes on the disk. */
async function historyBytes(): Promise<number> {
  for (const store of stores.values()) await store.call('settle', undefined);
  const [kept, off] = [
    await storeOf(KEPT).call('diskBytes', undefined),
    await storeOf(OFF).call('diskBytes', undefined),
  ];
  return kept - off;
}

/** Milliseconds of each question in each store, by question. */
async function askedNow(): Promise<Map<string, Map<string, number[]>>> {
  const asked = new Map<string, Map<string, number[]>>();
  for (const [title, pql] of QUESTIONS) {
    const figures = new Map<string, number[]>([...stores.keys()].map((name) => [name, []]));
    for (let round = -1; round < options.rounds; round++)
      for (const [name, store] of stores) {
        const { ms } = await store.call('ask', { pql, leastMs: options.roundMs });
        if (round >= 0) figures.get(name)?.push(ms);
      }
    asked.set(title, figures);
  }
  return asked;
}

/**
 * Now; the first question of a moment, and one that follows; and the first one of the moment before, whose
 * graph begins with the one that is there.
 */
type Asking = (typeof ASKINGS)[number];

interface Past {
  readonly changed: number;
  readonly bytes: number;
  /** By question, ms. */
  readonly figures: ReadonlyMap<string, Readonly<Record<Asking, number>>>;
}

/** Throws if an answer about the past is not that of then. */
async function askedOfPast(): Promise<Past> {
  const store = storeOf(KEPT);
  const one = (version: number): Promise<number> =>
    store.call('write', { rows: 'entities', start: 0, end: 1, version });
  const first = await store.call('settle', undefined);
  const then = new Map<string, string>();
  for (const [title, pql] of QUESTIONS)
    then.set(title, (await store.call('ask', { pql, leastMs: 0 })).answer);
  // Moments next to each other: as much has changed since each of them.
  const moments = STEP * (1 + QUESTIONS.size * (1 + options.rounds));
  for (let moment = 1; moment <= moments; moment++) await one(2 + moment);
  for (const rows of ['entities', 'relationships'] as const)
    for (const batch of batchesOf(Math.floor(counts[rows] * CHANGED_SHARE)))
      await store.call('write', { rows, ...batch, version: 1 });
  await store.call('settle', undefined);
  let seq = first;
  const ask = (pql: string, asked: { readonly seq?: number; readonly leastMs: number }) =>
    store.call('ask', { pql, ...asked });
  const before = await store.call('memory', undefined);
  await ask('FIND host RETURN COUNT', { seq: (seq += STEP), leastMs: 0 });
  const bytes = (await store.call('memory', undefined)) - before;
  const figures = new Map<string, Readonly<Record<Asking, number>>>();
  for (const [title, pql] of QUESTIONS) {
    const times: Record<Asking, number[]> = { now: [], first: [], then: [], before: [] };
    for (let round = -1; round < options.rounds; round++) {
      seq += STEP;
      const asked = {
        now: await ask(pql, { leastMs: options.roundMs }),
        first: await ask(pql, { seq, leastMs: 0 }),
        then: await ask(pql, { seq, leastMs: options.roundMs }),
        before: await ask(pql, { seq: seq - 1, leastMs: 0 }),
      };
      if (round >= 0) for (const asking of ASKINGS) times[asking].push(asked[asking].ms);
    }
    const { answer } = await ask(pql, { seq: first, leastMs: 0 });
    if (answer !== then.get(title))
      throw new Error(`${title}: the answer as of ${String(first)} is not that of then`);
    const medians = ASKINGS.map((asking) => [asking, median(times[asking])] as const);
    figures.set(title, Object.fromEntries(medians) as Record<Asking, number>);
  }
  return { changed: Math.floor(records * CHANGED_SHARE), bytes, figures };
}

interface Measured {
  readonly created: Readonly<Record<Rows['rows'], ReadonlyMap<string, readonly number[]>>>;
  readonly createdBytes: number;
  readonly updated: ReadonlyMap<string, readonly number[]>;
  readonly updatedBytes: number;
  readonly asked: ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>;
  readonly past: Past;
}

function print({ created, createdBytes, updated, updatedBytes, asked, past }: Measured): void {
  const ingest = new Map([
    ['new entities', created.entities],
    ['new relationships', created.relationships],
    ['changed entities', updated],
  ]);
  const lines = [...ingest].map(([title, figures]): Line => ({
    title,
    unit: '/s',
    figures,
    reach: [{ against: OFF, factor: INGEST_FACTOR }],
  }));
  const without = [...stores.keys()].filter((name) => name !== KEPT);
  const unchanged = [
    ...lines.map(({ title, figures }): Line => ({ title, unit: '/s', figures, reach: [] })),
    ...[...asked].map(([title, figures]): Line => ({ title, unit: 'ms', figures, reach: [] })),
  ].map((line) => ({ ...line, reach: without.slice(1).map((against) => ({ against, factor: 0 })) }));
  const before =
    options.before === undefined
      ? ''
      : `\nWithout history, beside commit ${commitOf(options.before)}:\n\n${renderTable(OFF, without, unchanged)}\n`;
  console.log(`## History, ${counts.entities.toLocaleString('en-US')} entities, ${counts.relationships.toLocaleString('en-US')} relationships

${describeMachine()}. Seed ${options.seed}, medians of all batches of ${BATCH_ROWS.toLocaleString('en-US')} rows, each after the sync of the one before, in turn; of questions, of ${options.rounds} rounds.

${renderTable(KEPT, [KEPT, OFF], lines)}

Of all batches together, with the slowest: ${[...ingest].map(([title, figures]) => `${title} ${wholeRatio(figures)}×`).join(', ')}.

On the disk a new record takes ${significant(createdBytes / records)} bytes more with history, and each further version of an entity ${significant((updatedBytes - createdBytes) / counts.entities)}.
In memory history takes nothing until it is asked; then ${significant(past.bytes / past.changed)} bytes for each record that has changed since the moment.

Milliseconds of the same question now, and as of a moment since which ${past.changed.toLocaleString('en-US')} records have changed (${significant(CHANGED_SHARE * 100)} %): the first question of the moment, those that follow, and the first one of the moment before it.

| question | now | first | ratio | following | ratio | to reach | reached | first of the one before | ratio |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${[...past.figures].map(rowOf).join('\n')}
${before}`);
}

/** The rate with history over that without, by the time of all batches, which are of one size. */
function wholeRatio(figures: ReadonlyMap<string, readonly number[]>): string {
  const time = (name: string): number => (figures.get(name) ?? []).reduce((sum, rate) => sum + 1 / rate, 0);
  return significant(time(OFF) / time(KEPT));
}

function rowOf([title, { now, first, then, before }]: readonly [string, Record<Asking, number>]): string {
  const isReached = then <= ASKED_FACTOR * now;
  const cells = [
    title,
    significant(now),
    significant(first),
    `${significant(first / now)}×`,
    significant(then),
    `${significant(then / now)}×`,
    `≤ ${ASKED_FACTOR}× for the following`,
    isReached ? 'yes' : '**no**',
    significant(before),
    `${significant(before / now)}×`,
  ];
  return `| ${cells.join(' | ')} |`;
}
