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
/** Graphs of so many moments are kept in memory: one more, in turn, are all new. */
const MOMENTS = 3;

type Store = RemoteProcess<StoreProtocol>;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const counts = { entities: data.entityCount, relationships: data.links.count };
const records = counts.entities + counts.relationships;
const { state, start } = askOf(data, options.seed);
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

/** Rows a second of each store: each round writes the next part, in turn. */
async function written(rows: Rows['rows'], version: number): Promise<Map<string, number[]>> {
  const rates = new Map<string, number[]>([...stores.keys()].map((name) => [name, []]));
  const edge = (round: number): number => Math.floor((counts[rows] * round) / options.rounds);
  for (let round = 0; round < options.rounds; round++) {
    const [start, end] = [edge(round), edge(round + 1)];
    const turns = round % 2 === 0 ? [...stores] : [...stores].reverse();
    for (const [name, store] of turns) {
      const ms = await store.call('write', { rows, start, end, version });
      rates.get(name)?.push(((end - start) * 1_000) / ms);
    }
  }
  return rates;
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

interface Past {
  readonly changed: number;
  readonly bytes: number;
  /** By question, ms: now, the first one of a moment, and one that follows. */
  readonly figures: ReadonlyMap<string, Readonly<Record<'now' | 'first' | 'then', number>>>;
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
  for (let moment = 1; moment < MOMENTS; moment++) await one(2 + moment);
  const share = (rows: Rows['rows']): Promise<number> =>
    store.call('write', { rows, start: 0, end: Math.floor(counts[rows] * CHANGED_SHARE), version: 9 });
  await share('entities');
  await share('relationships');
  await store.call('settle', undefined);
  let turn = 0;
  const next = (): number => first + (turn++ % MOMENTS);
  const before = await store.call('memory', undefined);
  await store.call('ask', { pql: 'FIND host RETURN COUNT', seq: next(), leastMs: 0 });
  const bytes = (await store.call('memory', undefined)) - before;
  const figures = new Map<string, Readonly<Record<'now' | 'first' | 'then', number>>>();
  for (const [title, pql] of QUESTIONS) {
    const times = { now: new Array<number>(), first: new Array<number>(), then: new Array<number>() };
    for (let round = -1; round < options.rounds; round++) {
      const seq = next();
      const now = await store.call('ask', { pql, leastMs: options.roundMs });
      const fresh = await store.call('ask', { pql, seq, leastMs: 0 });
      const kept = await store.call('ask', { pql, seq, leastMs: options.roundMs });
      if (seq === first && kept.answer !== then.get(title))
        throw new Error(`${title}: the answer as of ${String(seq)} is not that of then`);
      if (round < 0) continue;
      times.now.push(now.ms);
      times.first.push(fresh.ms);
      times.then.push(kept.ms);
    }
    figures.set(title, { now: median(times.now), first: median(times.first), then: median(times.then) });
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

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, in turn; batches of 1,000, each after the sync of the one before.

${renderTable(KEPT, [KEPT, OFF], lines)}

On the disk a new record takes ${significant(createdBytes / records)} bytes more with history, and each further version of an entity ${significant((updatedBytes - createdBytes) / counts.entities)}.
In memory history takes nothing until it is asked; then ${significant(past.bytes / past.changed)} bytes for each record that has changed since the moment.

Milliseconds of the same question now, and as of a moment since which ${past.changed.toLocaleString('en-US')} records have changed (${significant(CHANGED_SHARE * 100)} %): the first question of the moment, and those that follow.

| question | now | first | ratio | following | ratio | to reach | reached |
| --- | --- | --- | --- | --- | --- | --- | --- |
${[...past.figures].map(rowOf).join('\n')}
${before}`);
}

function rowOf([title, { now, first, then }]: readonly [
  string,
  Record<'now' | 'first' | 'then', number>,
]): string {
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
  ];
  return `| ${cells.join(' | ')} |`;
}
