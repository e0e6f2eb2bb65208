/**
 * What one would write first: messages of rows, and `appendRow` of parquetjs-lite for each. No journal: it is
 * spared the syncs that the other one makes before each acknowledgement. Calls are made one after another,
 * since two at a time lose rows.
 */
import parquet from 'parquetjs-lite';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ROW_SCHEMAS, type TableRow } from './row-schemas.ts';
import type { FromWriter, ToWriter, WriterSetup } from './writer-protocol.ts';

const ROW_GROUP_ROWS = 16_384;
const { directory } = workerData as WriterSetup;
const files = Object.keys(ROW_SCHEMAS).map((table) => ({ table, path: join(directory, `${table}.parquet`) }));
const writers = new Map(
  await Promise.all(
    files.map(async ({ table, path }) => {
      const schema = new parquet.ParquetSchema(ROW_SCHEMAS[table] ?? {});
      const writer = await parquet.ParquetWriter.openFile(schema, path);
      writer.setRowGroupSize(ROW_GROUP_ROWS);
      return [table, writer] as const;
    }),
  ),
);

function tell(message: FromWriter): void {
  parentPort?.postMessage(message);
}

async function take(message: ToWriter): Promise<void> {
  if (message === 'end') {
    for (const writer of writers.values()) await writer.close();
    tell({ bytes: files.reduce((sum, { path }) => sum + statSync(path).size, 0) });
    return;
  }
  const rows = JSON.parse(new TextDecoder().decode(message.bytes)) as readonly TableRow[];
  for (const { table, row } of rows) {
    await writers.get(table)?.appendRow({ edge_id: `edge-${message.edge}`, instance_id: 'i', ...row });
  }
  tell({ edge: message.edge });
}

let last = Promise.resolve();
parentPort?.on('message', (message: ToWriter) => {
  last = last.then(() => take(message));
});
tell('ready');
