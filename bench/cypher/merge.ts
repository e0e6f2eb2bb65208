import { join } from 'node:path';
import { Connection, Database } from '@ladybugdb/core-linux-x64';
import type { Dataset } from '../data/dataset.ts';
import { emptied } from '../harness/emptied.ts';
import type { Line } from '../harness/table.ts';
import { startGraph } from '../http/graph-server.ts';
import { batchesOf } from './engine.ts';
import { type NodeRow, rowOf } from './graph-tables.ts';

const ROWS = 20_000;
const MERGE = `UNWIND $rows AS row MERGE (n:machine {name: row.name})
  SET n.state = row.state, n.region = row.region, n.serial = row.serial, n.cpu = row.cpu`;

export interface MergeOptions {
  readonly data: Dataset;
  readonly directory: string;
  readonly rounds: number;
}

/** Rows a second, each round into new stores. */
export async function mergedRates({ data, directory, rounds }: MergeOptions): Promise<Line> {
  const rows = Array.from({ length: Math.min(ROWS, data.entityCount) }, (_, index) => rowOf(data, index));
  const rates = { plexus: [] as number[], bulk: [] as number[], ladybug: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    rates.plexus.push(await overHttp(emptied(join(directory, 'merge')), rows, mergeOverHttp));
    rates.bulk.push(await overHttp(emptied(join(directory, 'merge')), rows, bulkOverHttp));
    rates.ladybug.push(await inLadybug(emptied(join(directory, 'merge')), rows));
  }
  return {
    title: 'MERGE',
    unit: '/s',
    figures: new Map(Object.entries(rates)),
    reach: [
      { against: 'bulk', factor: 0.3 },
      { against: 'ladybug', factor: 1 },
    ],
  };
}

type Write = (url: string, rows: readonly NodeRow[]) => Promise<number>;

async function overHttp(directory: string, rows: readonly NodeRow[], write: Write): Promise<number> {
  const server = await startGraph(directory);
  try {
    return await rateOf(rows, (batch) => write(`http://127.0.0.1:${server.port}`, batch));
  } finally {
    await server.stop();
  }
}

async function mergeOverHttp(url: string, rows: readonly NodeRow[]): Promise<number> {
  const body = JSON.stringify({ cypher: MERGE, params: { rows } });
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}/v1/cypher`, { method: 'POST', headers, body });
  const { counters } = (await reply.json()) as { readonly counters: Readonly<Record<string, number>> };
  return counters['nodes_created'] ?? -1;
}

async function bulkOverHttp(url: string, rows: readonly NodeRow[]): Promise<number> {
  const body = rows
    .map((row) => `${JSON.stringify({ op: 'entity', type: 'machine', key: row.name, properties: row })}\n`)
    .join('');
  const headers = { 'content-type': 'application/x-ndjson' };
  const reply = await fetch(`${url}/v1/ingest/bulk?connector_id=bench`, { method: 'POST', headers, body });
  const { entities_written: written } = (await reply.json()) as { readonly entities_written: number };
  return written;
}

async function inLadybug(directory: string, rows: readonly NodeRow[]): Promise<number> {
  const database = new Database(join(directory, 'graph.lbug'));
  const connection = new Connection(database);
  try {
    await connection.query(
      'CREATE NODE TABLE machine (name STRING PRIMARY KEY, state STRING, region STRING, serial STRING, cpu DOUBLE)',
    );
    const statement = await connection.prepare(MERGE);
    return await rateOf(rows, async (batch) => {
      await connection.execute(statement, { rows: batch });
      return batch.length;
    });
  } finally {
    await connection.close();
    await database.close();
  }
}

async function rateOf(
  rows: readonly NodeRow[],
  write: (rows: readonly NodeRow[]) => Promise<number>,
): Promise<number> {
  const startMs = performance.now();
  for (const batch of batchesOf(rows)) {
    const written = await write(batch);
    if (written !== batch.length) throw new Error(`expected ${batch.length} new nodes, got ${written}`);
  }
  return (rows.length * 1_000) / (performance.now() - startMs);
}
