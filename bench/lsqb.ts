/**
 * LSQB, the Labelled Subgraph Query Benchmark: its nine queries over its data, compared with SQLite and
 * DuckDB with the benchmark's own SQL. A count that differs from another engine's, or from the published one,
 * is reported and not timed.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import Database from 'better-sqlite3';
import { DERIVED, type LsqbQuery, QUERIES } from '../tools/suites/lsqb/queries.ts';
import { type LsqbData, readLsqb, tableOf } from '../tools/suites/lsqb/tables.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { timeRound } from './harness/stopwatch.ts';
import { type Line, renderTable } from './harness/table.ts';
import { versionOf } from './harness/versions.ts';
import { builtLibrary } from './targets/built-library.ts';

interface Engine {
  readonly name: string;
  readonly count: (query: LsqbQuery) => number | Promise<number>;
  readonly close: () => void | Promise<void>;
}

const BATCH_ROWS = 1_000;
const REACH = [
  { against: 'duckdb', factor: 1 },
  { against: 'sqlite', factor: 0 },
];
/**
 * Names a folder with the data at scale 0.1 and projected foreign keys, which is not distributed with this
 * project.
 */
const LARGE = process.env['PLEXUS_LSQB_SF01'];
const SMALL = join(import.meta.dirname, '../tools/suites/lsqb/social-network-sf0.003-projected-fk');

const options = readOptions(process.argv.slice(2));
const isLarge = LARGE !== undefined && existsSync(LARGE);
const data = readLsqb(isLarge ? LARGE : SMALL);
const directory = join(options.directory, 'lsqb');
emptied(directory);
const engines = [await openPlexus(data), openSqlite(data), await openDuckdb(data)];
const wrong: string[] = [];
try {
  const lines: Line[] = [];
  for (const query of QUERIES) if (await agreeOn(query)) lines.push(await timed(query));
  const rows = data.links.reduce((sum, { rows: own }) => sum + own.length, 0);
  const nodes = data.nodes.reduce((sum, { keys }) => sum + keys.length, 0);
  console.log(`## LSQB at scale ${isLarge ? '0.1' : '0.003'}, ${nodes.toLocaleString('en-US')} nodes, ${rows.toLocaleString('en-US')} links

${describeMachine()}. Medians of ${options.rounds} rounds, in turn, one process.
duckdb: @duckdb/node-api ${versionOf('@duckdb/node-api')}, sqlite: better-sqlite3 ${versionOf('better-sqlite3')}.

${renderTable(
  'plexus',
  engines.map(({ name }) => name),
  lines,
)}
${wrong.map((line) => `\n${line}`).join('')}`);
} finally {
  for (const { close } of engines) await close();
  rmSync(directory, { recursive: true, force: true });
}
if (wrong.length > 0) process.exitCode = 1;

async function agreeOn(query: LsqbQuery): Promise<boolean> {
  const counts = new Map<string, number>(isLarge ? [['published', query.atScale01]] : []);
  for (const { name, count } of engines) counts.set(name, await count(query));
  if (new Set(counts.values()).size === 1) return true;
  wrong.push(`${query.name}: ${[...counts].map((pair) => pair.join(' ')).join(', ')}`);
  return false;
}

async function timed(query: LsqbQuery): Promise<Line> {
  const figures = new Map<string, number[]>(engines.map(({ name }) => [name, []]));
  // The first round is a warm-up.
  for (let round = 0; round <= options.rounds; round++) {
    for (const { name, count } of engines) {
      const { msPerCall } = await timeRound(() => count(query), options.roundMs);
      if (round > 0) figures.get(name)?.push(msPerCall);
    }
  }
  return { title: query.name, unit: 'ms', figures, reach: REACH };
}

/** Runs PQL as the server does: from text, with a snapshot for each query. */
async function openPlexus({ nodes, links }: LsqbData): Promise<Engine> {
  const { Graph } = await builtLibrary('graph/engine');
  const { NodeDisk } = await builtLibrary('platform/disk');
  const { QueryEngine } = await builtLibrary('graph/query');
  const open = () => Graph.open({ directory: join(directory, 'plexus'), disk: new NodeDisk() });
  const loading = await open();
  for (const { type, keys } of nodes) {
    const entities = keys.map((key) => ({ type, key, class: type, displayName: undefined, properties: {} }));
    for (const batch of batchesOf(entities)) await loading.write({ entities: batch, relationships: [] });
  }
  for (const { from, verb, to, rows } of links) {
    const all = rows.map(([a, b]) => ({
      from: { type: from, key: a },
      verb,
      to: { type: to, key: b },
      properties: {},
    }));
    for (const batch of batchesOf(all)) await loading.write({ entities: [], relationships: batch });
  }
  // Closing seals the loaded data, as the server does by itself.
  await loading.close();
  const graph = await open();
  const engine = new QueryEngine({ vocabulary: { hasClass: () => true, hasVerb: () => true } });
  return {
    name: 'plexus',
    count: async ({ pql }) => {
      const snapshot = graph.snapshot();
      try {
        return (await engine.run(snapshot, pql, { timeoutMs: 600_000 })).count;
      } finally {
        snapshot.release();
      }
    },
    close: () => graph.close(),
  };
}

function* batchesOf<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
}

function openSqlite({ links }: LsqbData): Engine {
  const database = new Database(join(directory, 'lsqb.db'));
  const index = (table: string): void => {
    database.exec(`CREATE INDEX ${table}_a ON ${table} (a, b)`);
    database.exec(`CREATE INDEX ${table}_b ON ${table} (b, a)`);
  };
  for (const link of links) {
    const table = tableOf(link);
    database.exec(`CREATE TABLE ${table} (a INTEGER, b INTEGER)`);
    const insert = database.prepare<never>(`INSERT INTO ${table} VALUES (?, ?)`);
    database.transaction(() => {
      for (const [a, b] of link.rows) insert.run(Number(a), Number(b));
    })();
    index(table);
  }
  for (const { name, select } of DERIVED) {
    database.exec(`CREATE TABLE ${name} AS ${select}`);
    index(name);
  }
  database.exec('ANALYZE');
  const statements = new Map(
    QUERIES.map(({ name, sql }) => [name, database.prepare<{ readonly n: number }>(sql)]),
  );
  return {
    name: 'sqlite',
    count: ({ name }) => statements.get(name)?.get()?.n ?? -1,
    close: () => {
      database.close();
    },
  };
}

/** Opens DuckDB without indexes: it is optimized for scans and hash joins. */
async function openDuckdb({ links }: LsqbData): Promise<Engine> {
  const instance = await DuckDBInstance.create(join(directory, 'lsqb.duckdb'));
  const connection = await instance.connect();
  for (const link of links) {
    const table = tableOf(link);
    await connection.run(`CREATE TABLE ${table} (a BIGINT, b BIGINT)`);
    const appender = await connection.createAppender(table);
    for (const [a, b] of link.rows) {
      appender.appendBigInt(BigInt(a));
      appender.appendBigInt(BigInt(b));
      appender.endRow();
    }
    appender.closeSync();
  }
  for (const { name, select } of DERIVED) await connection.run(`CREATE TABLE ${name} AS ${select}`);
  await connection.run('ANALYZE');
  return {
    name: 'duckdb',
    count: async ({ sql }) => {
      const [row] = (await connection.runAndReadAll(sql)).getRowObjectsJS();
      return Number(row?.['n'] ?? -1);
    },
    close: () => {
      connection.disconnectSync();
      instance.closeSync();
    },
  };
}
