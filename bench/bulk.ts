/**
 * Bulk loads: the lines of `POST /v1/ingest/bulk` sent to the built server, compared with batches of 1,000
 * written in process. Each round fills new stores with the same data; the rate counts the records that the
 * server's reply reports.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { entityRows, linkRows } from './data/rows.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { renderTable, type Line } from './harness/table.ts';
import { startGraph } from './http/graph-server.ts';
import { openTarget } from './targets/registry.ts';

const BATCH_ROWS = 1_000;
const HTTP = 'over HTTP';
const IN_PROCESS = 'in process';
/** As a share of the in-process rate. */
const SHARE = 0.6;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const directory = join(options.directory, 'bulk');
// Built before the clock starts.
const entities = batchesOf(data.entityCount, (start, end) => entityRows(data, start, end));
const links = batchesOf(data.links.count, (start, end) => linkRows(data, start, end));
const bodies = {
  entities: linesOf('entity', entities),
  relationships: linesOf('relationship', links),
};
const counts = { entities: data.entityCount, relationships: data.links.count };
const rates = { entities: newRates(), relationships: newRates() };
for (let round = 0; round < options.rounds; round++) {
  await inProcess();
  await overHttp();
}
rmSync(directory, { recursive: true, force: true });

const lines: Line[] = Object.entries(rates).map(([title, figures]) => ({
  title,
  unit: '/s',
  figures,
  reach: [{ against: IN_PROCESS, factor: SHARE }],
}));
console.log(`## Bulk loads, ${data.entityCount.toLocaleString('en-US')} entities, ${data.links.count.toLocaleString('en-US')} relationships

${describeMachine()}. Seed ${options.seed}, medians of ${options.rounds} rounds, in turn, each into a new store; the client shares the machine.

${renderTable(HTTP, [HTTP, IN_PROCESS], lines)}
`);

async function inProcess(): Promise<void> {
  const target = await openTarget('plexus', { directory: emptied(directory), questions, isNew: true });
  await timed(IN_PROCESS, 'entities', async () => {
    for (const rows of entities) await target.addEntities(rows);
  });
  await timed(IN_PROCESS, 'relationships', async () => {
    for (const rows of links) await target.addRelationships(rows);
  });
  await target.close();
}

async function overHttp(): Promise<void> {
  const server = await startGraph(emptied(directory));
  const load = async (sort: keyof typeof bodies): Promise<void> => {
    const url = `http://127.0.0.1:${server.port}/v1/ingest/bulk?connector_id=bench`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await fetch(url, { method: 'POST', headers, body: bodies[sort] });
    const told = (await reply.json()) as Record<string, unknown>;
    if (told[`${sort}_written`] !== counts[sort])
      throw new Error(`expected ${counts[sort]}: ${JSON.stringify(told)}`);
  };
  try {
    await timed(HTTP, 'entities', () => load('entities'));
    await timed(HTTP, 'relationships', () => load('relationships'));
  } finally {
    await server.stop();
  }
}

async function timed(name: string, sort: keyof typeof rates, load: () => Promise<void>): Promise<void> {
  const startMs = performance.now();
  await load();
  rates[sort].get(name)?.push((counts[sort] * 1_000) / (performance.now() - startMs));
}

function newRates(): Map<string, number[]> {
  return new Map([HTTP, IN_PROCESS].map((name) => [name, []]));
}

function batchesOf<T>(count: number, rowsOf: (start: number, end: number) => T): T[] {
  const batches: T[] = [];
  for (let start = 0; start < count; start += BATCH_ROWS) {
    batches.push(rowsOf(start, Math.min(start + BATCH_ROWS, count)));
  }
  return batches;
}

function linesOf(
  op: string,
  batches: readonly (readonly { readonly body: object }[])[],
): Uint8Array<ArrayBuffer> {
  const parts = batches.map((rows) =>
    Buffer.from(rows.map(({ body }) => `${JSON.stringify({ op, ...body })}\n`).join('')),
  );
  return Uint8Array.from(Buffer.concat(parts));
}
