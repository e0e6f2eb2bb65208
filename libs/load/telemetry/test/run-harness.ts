import { join } from 'node:path';
import {
  encodeTables,
  TableBuilder,
  TelemetryWriter,
  type EdgeInstance,
  type RowOf,
  type TableBatch,
  type TableName,
  type TelemetryWriterOptions,
} from '#load/telemetry';
import type { Disk } from '#platform/disk';
import { completeParts } from '../src/writer/generation.ts';
import { hyparquetRows } from './parquet-rows.ts';
import type { PlainRow } from './plain-rows.ts';

export const DIRECTORY = '/runs/r1';

export function edge(name: string, instanceId = 'i1'): EdgeInstance {
  return { edgeId: name, instanceId };
}

/** Limits so small that a few batches fill pages, row groups and journals. */
const SMALL = { directory: DIRECTORY, journalBytes: 3_000, pageRows: 5, rowGroupRows: 10 };

export function openWriter(
  disk: Disk,
  options: Partial<TelemetryWriterOptions> = {},
): Promise<TelemetryWriter> {
  return TelemetryWriter.open({ disk, ...SMALL, ...options });
}

export const LIFE: RowOf<'edges'> = {
  version: '0.1.0',
  hostname: 'load-1',
  labels_json: '{}',
  first_account: 0,
  account_count: 10,
  registered_us: 1,
  left_us: null,
  end: 'lost',
  clock_offset_us: -3,
  clock_error_us: 2,
  feed_gaps: 0,
  events_dropped: 0,
  feed_messages: 0,
  feed_duplicates: 0,
  feed_reorganisations: 0,
  feed_garbage: 0,
  feed_disconnects: 0,
  correlation_misses: 0,
};

const ROWS_A_BATCH = 3;
const ACCOUNT = new Uint8Array(20).fill(1);

/** Batch `seq` of an edge: errors and balances whose numbers identify their batch and row. */
export function batchBytes(seq: number): Uint8Array {
  const errors = new TableBuilder('errors');
  const balances = new TableBuilder('balances');
  for (let row = 0; row < ROWS_A_BATCH; row++) {
    const id = seq * 100 + row;
    errors.append({
      at_us: id,
      class: 'c',
      expected: true,
      code: null,
      message: 'm',
      count: 1,
      sample_hash: null,
    });
    balances.append({
      account: ACCOUNT,
      at: 'end',
      block_number: 1,
      balance_wei: 1n,
      nonce: id,
      token_units: null,
    });
  }
  return encodeTables([errors.batch(), balances.batch()]);
}

/** Rows of the table `edges`, as written by the hive. */
export function livesOf(count: number): TableBatch {
  const lives = new TableBuilder('edges');
  for (let row = 0; row < count; row++) lives.append(LIFE);
  return lives.batch();
}

/** The row numbers of batches `1…count`, in order. */
export function idsOf(count: number): string[] {
  return Array.from({ length: count }, (_, at) => at + 1).flatMap((seq) =>
    Array.from({ length: ROWS_A_BATCH }, (_, row) => String(seq * 100 + row)),
  );
}

export async function rowsOf(disk: Disk, table: TableName): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  for (const part of await completeParts(disk, DIRECTORY)) {
    if (part.table !== table) continue;
    rows.push(...(await hyparquetRows(await disk.readBytes(join(DIRECTORY, part.name)))));
  }
  return rows;
}

/** The content of the parts: row numbers by edge and instance, in order. */
export async function contentOf(
  disk: Disk,
  table: 'errors' | 'balances',
): Promise<Readonly<Record<string, string[]>>> {
  const content: Record<string, string[]> = {};
  for (const row of await rowsOf(disk, table)) {
    const key = `${String(row['edge_id'])} ${String(row['instance_id'])}`;
    (content[key] ??= []).push(String(row[table === 'errors' ? 'at_us' : 'nonce']));
  }
  return content;
}
