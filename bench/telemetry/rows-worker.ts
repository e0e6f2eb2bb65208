/**
 * A plain implementation: messages of rows, and `appendRow` of parquetjs-lite for each. It has no journal,
 * and so no sync before each acknowledgement, unlike the product. Calls are made one after another, because
 * two at a time lose rows.
 */
import parquet, { type RowWriter } from 'parquetjs-lite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { ROW_SCHEMAS, type TableRow } from './row-schemas.ts';
import type { FromWriter, ToWriter } from './writer-protocol.ts';

const ROW_GROUP_ROWS = 16_384;
const TABLES = Object.entries(ROW_SCHEMAS);
const DECODER = new TextDecoder();
const writers = new Map<string, RowWriter>();
let directory = '';

async function begin(): Promise<void> {
  for (const [table, fields] of TABLES) {
    const schema = new parquet.ParquetSchema(fields);
    const writer = await parquet.ParquetWriter.openFile(schema, pathOf(table));
    writer.setRowGroupSize(ROW_GROUP_ROWS);
    writers.set(table, writer);
  }
}

async function end(): Promise<number> {
  for (const writer of writers.values()) await writer.close();
  return TABLES.reduce((sum, [table]) => sum + statSync(pathOf(table)).size, 0);
}

function pathOf(table: string): string {
  return join(directory, `${table}.parquet`);
}

async function take(message: ToWriter): Promise<FromWriter> {
  if (message === 'end') return { bytes: await end() };
  if ('directory' in message) {
    directory = message.directory;
    await begin();
    return 'ready';
  }
  const rows = JSON.parse(DECODER.decode(message.bytes)) as readonly TableRow[];
  for (const { table, row } of rows) {
    await writers.get(table)?.appendRow({ edge_id: `edge-${message.edge}`, instance_id: 'i', ...row });
  }
  return { edge: message.edge };
}

let last: Promise<unknown> = Promise.resolve();
parentPort?.on('message', (message: ToWriter) => {
  last = last.then(async () => parentPort?.postMessage(await take(message)));
});
