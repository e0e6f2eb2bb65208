/**
 * Bulk loads: the lines of `POST /v1/ingest/bulk` sent to the built server, compared with batches of 1,000
 * written in process, each in a new process. Each round fills new stores with the same data; the rate counts
 * the records that the server's reply reports.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Dataset } from './data/dataset.ts';
import { askOf } from './data/questions.ts';
import { entityRows, linkRows } from './data/rows.ts';
import type { TargetProtocol } from './graph/measured-target.ts';
import { RemoteProcess } from './harness/child-process.ts';
import { emptied } from './harness/emptied.ts';
import { describeMachine } from './harness/machine.ts';
import { readOptions } from './harness/options.ts';
import { type Line, renderTable } from './harness/table.ts';
import { startGraph } from './http/graph-server.ts';

const BATCH_ROWS = 1_000;
const HTTP = 'over HTTP';
const IN_PROCESS = 'in process';
/** The least rate over HTTP, as a share of the rate in process. */
const SHARE = 0.6;

const options = readOptions(process.argv.slice(2));
const data = new Dataset(options.entities, options.seed);
const questions = askOf(data, options.seed);
const directory = join(options.directory, 'bulk');
// Built before the clock starts.
const bodies = {
  entities: linesOf('entity', data.entityCount, (start, end) => entityRows(data, start, end)),
  relationships: linesOf('relationship', data.links.count, (start, end) => linkRows(data, start, end)),
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

/** In a new process like the server, so that both compile their code during the load. */
async function inProcess(): Promise<void> {
  const target = new RemoteProcess<TargetProtocol>(new URL('./graph/measured-target.ts', import.meta.url));
  try {
    const { entities, seed } = options;
    await target.call('prepare', {
      name: 'plexus',
      directory: emptied(directory),
      entities,
      seed,
      questions,
    });
    await target.call('open', undefined);
    for (const rows of ['entities', 'relationships'] as const) {
      const ms = await target.call('load', { rows, start: 0, end: counts[rows] });
      rates[rows].get(IN_PROCESS)?.push((counts[rows] * 1_000) / ms);
    }
    await target.call('close', undefined);
  } finally {
    await target.end();
  }
}

async function overHttp(): Promise<void> {
  const server = await startGraph(emptied(directory));
  const load = async (sort: keyof typeof bodies): Promise<void> => {
    const url = `http://127.0.0.1:${server.port}/v1/ingest/bulk?connector_id=bench`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const reply = await fetch(url, { method: 'POST', headers, body: bodies[sort] });
    const written = (await reply.json()) as Record<string, unknown>;
    if (written[`${sort}_written`] !== counts[sort])
      throw new Error(`expected ${counts[sort]}: ${JSON.stringify(written)}`);
  };
  try {
    for (const rows of ['entities', 'relationships'] as const) {
      const startMs = performance.now();
      await load(rows);
      rates[rows].get(HTTP)?.push((counts[rows] * 1_000) / (performance.now() - startMs));
    }
  } finally {
    await server.stop();
  }
}

function newRates(): Map<string, number[]> {
  return new Map([HTTP, IN_PROCESS].map((name) => [name, []]));
}

function linesOf(
  op: string,
  count: number,
  rowsOf: (start: number, end: number) => readonly { readonly body: object }[],
): Uint8Array<ArrayBuffer> {
  const parts: Buffer[] = [];
  for (let start = 0; start < count; start += BATCH_ROWS) {
    const rows = rowsOf(start, Math.min(start + BATCH_ROWS, count));
    parts.push(Buffer.from(rows.map(({ body }) => `${JSON.stringify({ op, ...body })}\n`).join('')));
  }
  return Uint8Array.from(Buffer.concat(parts));
}
