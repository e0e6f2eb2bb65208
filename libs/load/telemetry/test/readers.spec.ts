/** DuckDB, Arrow (in Rust) and hyparquet read the same file and must return the same values. */
import { DuckDBInstance } from '@duckdb/node-api';
import { parquetMetadata } from 'hyparquet';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Compression as ArrowCompression,
  readParquet,
  WriterPropertiesBuilder,
  writeParquet,
} from 'parquet-wasm';
import { COMPRESSIONS, TABLE_NAMES, type Compression, type TableName } from '#load/telemetry';
import { NodeDisk } from '#platform/disk';
import { PartWriter } from '../src/parquet/part-writer.ts';
import { columnsOf } from '../src/table/column-spec.ts';
import { arbitraryRow, batchOf } from './arbitrary-rows.ts';
import { hyparquetRows } from './parquet-rows.ts';
import { parquetRow, plainRows, plainValue, type PlainRow } from './plain-rows.ts';

const SEED = 20_261_121;
const ROWS = 200;
const EDGE = { edgeId: 'edge-1', instanceId: 'i-1' };
const CASES = TABLE_NAMES.flatMap((table) => COMPRESSIONS.map((compression) => ({ table, compression })));

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'telemetry-readers-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true });
});

/** A file of three row groups, and its expected content. */
async function makePart(
  table: TableName,
  { compression, count }: { compression: Compression; count: number },
): Promise<{ path: string; rows: PlainRow[] }> {
  const rows = fc.sample(arbitraryRow(table), { numRuns: count, seed: SEED });
  const path = join(directory, `${table}-${compression}-${count}.parquet`);
  const options = { runId: 'r-1', compression, pageRows: 40, rowGroupRows: 80 };
  const writer = new PartWriter(table, await new NodeDisk().open(path, 'create'), options);
  await writer.append(EDGE, batchOf({ table, rows }));
  await writer.finish();
  const expected = plainRows(rows).map((row) => ({
    edge_id: 'edge-1',
    instance_id: 'i-1',
    ...parquetRow(table, row),
    run_id: 'r-1',
  }));
  return { path, rows: expected };
}

/** Names of the columns that a reader shows as times. */
function timesOf(bytes: Uint8Array): readonly string[] {
  return parquetMetadata(Uint8Array.from(bytes).buffer).schema.flatMap(({ name, converted_type: type }) =>
    type === 'TIMESTAMP_MICROS' ? name : [],
  );
}

/** Selects blobs as hexadecimal text, to transfer them unchanged from DuckDB to JavaScript. */
async function duckdbRows(path: string, table: TableName): Promise<PlainRow[]> {
  const times = timesOf(readFileSync(path));
  const columns = columnsOf(table).map(({ name, kind }) => {
    if (times.includes(name)) return `epoch_us("${name}") AS "${name}"`;
    return kind === 'bytes' ? `'0x' || lower(hex("${name}")) AS "${name}"` : `"${name}"`;
  });
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(
    `SELECT edge_id, instance_id, ${columns.join(', ')}, run_id FROM read_parquet('${path}')`,
  );
  const rows = reader.getRowObjectsJS();
  connection.disconnectSync();
  instance.closeSync();
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)])),
  );
}

/** Arrow reads the file and writes its content to another file, which hyparquet then reads. */
function arrowRows(path: string): Promise<PlainRow[]> {
  const properties = new WriterPropertiesBuilder().setCompression(ArrowCompression.UNCOMPRESSED).build();
  return hyparquetRows(writeParquet(readParquet(readFileSync(path)), properties));
}

describe('a part', () => {
  it('marks columns of times, but not of durations', async () => {
    const { path } = await makePart('edges', { compression: 'none', count: 1 });

    expect(timesOf(readFileSync(path))).toEqual(['registered_us', 'left_us']);
  });

  it.each(CASES)(
    'of $table, $compression, has the same content in all readers',
    async ({ table, compression }) => {
      const { path, rows } = await makePart(table, { compression, count: ROWS });

      expect(await hyparquetRows(readFileSync(path))).toEqual(rows);
      expect(await duckdbRows(path, table)).toEqual(rows);
      expect(await arrowRows(path)).toEqual(rows);
    },
  );

  it.each(TABLE_NAMES)('of %s without rows is readable by all readers', async (table) => {
    const { path } = await makePart(table, { compression: 'snappy', count: 0 });

    expect(await hyparquetRows(readFileSync(path))).toEqual([]);
    expect(await duckdbRows(path, table)).toEqual([]);
    expect(await arrowRows(path)).toEqual([]);
  });
});
