import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DERIVED, QUERIES } from './lsqb/queries.ts';
import { readLsqb, tableOf } from './lsqb/tables.ts';
import { ROOT, withGraphService } from './support/graph-service.mjs';

export const source =
  'LSQB, the Labelled Subgraph Query Benchmark (github.com/ldbc/lsqb), its queries, its example and its data at scale 0.003, Apache-2.0';

const DATA = join(ROOT, 'tools', 'suites', 'lsqb');
/** Names a folder with the benchmark's data at scale 0.1 and projected foreign keys. */
const LARGE_VARIABLE = 'PLEXUS_LSQB_SF01';
const LINES_AT_ONCE = 20_000;

/** All nine queries: the example and scale 0.1 against published counts, scale 0.003 against SQLite. */
export async function run() {
  const example = readLsqb(join(DATA, 'social-network-sfexample-projected-fk'));
  const small = readLsqb(join(DATA, 'social-network-sf0.003-projected-fk'));
  const bySql = countsBySql(small);
  const results = [
    await compare(example, ({ inExample }) => inExample, 'example'),
    await compare(small, ({ name }) => bySql.get(name), 'scale 0.003'),
  ];
  const folder = process.env[LARGE_VARIABLE];
  const isThere = folder !== undefined && existsSync(folder);
  if (isThere) results.push(await compare(readLsqb(folder), ({ atScale01 }) => atScale01, 'scale 0.1'));
  const missing = `scale 0.1 is skipped: ${LARGE_VARIABLE} names no folder with its data`;
  return {
    passed: results.reduce((sum, { passed }) => sum + passed, 0),
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    skipped: isThere ? 0 : QUERIES.length,
    notes: [...results.flatMap(({ notes }) => notes), ...(isThere ? [] : [missing])],
  };
}

function countsBySql({ links }) {
  const database = new DatabaseSync(':memory:');
  const index = (table) =>
    database.exec(`CREATE INDEX ${table}_a ON ${table} (a, b); CREATE INDEX ${table}_b ON ${table} (b)`);
  for (const link of links) {
    const table = tableOf(link);
    database.exec(`CREATE TABLE ${table} (a INTEGER, b INTEGER); BEGIN`);
    const insert = database.prepare(`INSERT INTO ${table} VALUES (?, ?)`);
    for (const [a, b] of link.rows) insert.run(BigInt(a), BigInt(b));
    database.exec('COMMIT');
    index(table);
  }
  for (const { name, select } of DERIVED) {
    database.exec(`CREATE TABLE ${name} AS ${select}`);
    index(name);
  }
  const counts = new Map(QUERIES.map(({ name, sql }) => [name, Number(database.prepare(sql).get().n)]));
  database.close();
  return counts;
}

function compare(data, expectedOf, title) {
  return withGraphService(async ({ url }) => {
    await load(url, data);
    const notes = [];
    let failed = 0;
    for (const query of QUERIES) {
      const expected = expectedOf(query);
      const started = performance.now();
      const count = await countOf(url, query.pql);
      const isRight = count === expected;
      if (!isRight) failed++;
      const ms = Math.round(performance.now() - started);
      notes.push(`${title}, ${query.name}: ${count}${isRight ? '' : `, expected ${expected}`} (${ms} ms)`);
    }
    return { passed: QUERIES.length - failed, failed, notes };
  });
}

/** Entities first: a relationship needs its ends. */
async function load(url, { nodes, links }) {
  for (const { type, keys } of nodes)
    await send(
      url,
      keys.map((key) => ({ op: 'entity', type, class: type, key })),
    );
  for (const { from, verb, to, rows } of links)
    await send(
      url,
      rows.map(([a, b]) => ({
        op: 'relationship',
        from: { type: from, key: a },
        verb,
        to: { type: to, key: b },
      })),
    );
}

async function send(url, records) {
  for (let start = 0; start < records.length; start += LINES_AT_ONCE) {
    const lines = records.slice(start, start + LINES_AT_ONCE).map((record) => JSON.stringify(record));
    const reply = await fetch(`${url}/v1/ingest/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    });
    const { error_count, errors, message } = await reply.json();
    if (error_count !== 0) throw new Error(`bulk load: ${message ?? JSON.stringify(errors[0])}`);
  }
}

async function countOf(url, pql) {
  const reply = await fetch(`${url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ pql }),
  });
  const { count, error, message, warnings = [] } = await reply.json();
  if (warnings.length > 0) return `warning ${warnings[0].code}`;
  return error === undefined ? count : `${error}: ${message}`;
}
