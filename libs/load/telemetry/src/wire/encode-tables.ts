import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { BATCH_ROWS_MAX } from '../limits.ts';
import { columnsOf } from '../table/column-spec.ts';
import type { BlobColumn, Column, FixedColumn, TableBatch, TextColumn } from '../table/table-batch.ts';
import { TABLE_NAMES } from '../table/tables.ts';
import { writeVector } from './vector.ts';

export const WIRE_VERSION = 2;

/** A batch of 1,024 events takes about half of it. */
const USUAL_BYTES = 128 * 1024;
const ENCODER = new TextEncoder();

/**
 * Encodes batches of different tables as one wire batch (docs/formats/telemetry-batch.md). Tables without
 * rows are omitted.
 */
export function encodeTables(batches: readonly TableBatch[]): Uint8Array {
  const filled = batches.filter(({ rowCount }) => rowCount > 0);
  const rows = filled.reduce((sum, { rowCount }) => sum + rowCount, 0);
  assert(rows <= BATCH_ROWS_MAX, `expected at most ${BATCH_ROWS_MAX} rows in a batch, got ${rows}`);
  const writer = new ByteWriter(USUAL_BYTES);
  writer.u8(WIRE_VERSION);
  writer.u8(filled.length);
  for (const batch of filled.toSorted((a, b) => numberOf(a) - numberOf(b))) writeTable(writer, batch);
  return writer.written();
}

function numberOf({ table }: TableBatch): number {
  return TABLE_NAMES.indexOf(table);
}

function writeTable(writer: ByteWriter, batch: TableBatch): void {
  writer.u8(numberOf(batch));
  writer.u32(batch.rowCount);
  const columns: Readonly<Record<string, Column>> = batch.columns;
  for (const { name } of columnsOf(batch.table)) {
    const column = columns[name];
    assert(column !== undefined, `expected a column ${name} of ${batch.table}`);
    writeColumn(writer, column);
  }
}

function writeColumn(writer: ByteWriter, column: Column): void {
  if (column.form === 'number') {
    writeVector(writer, column.values, Number.NaN);
    return;
  }
  if (column.form === 'fixed') writeFixed(writer, column);
  else writeValues(writer, column.form === 'text' ? encodedTexts(column) : column.blobs);
  writeVector(writer, column.codes, -1);
}

function encodedTexts({ texts }: TextColumn): readonly Uint8Array[] {
  return texts.map((text) => ENCODER.encode(text));
}

function writeValues(writer: ByteWriter, values: BlobColumn['blobs']): void {
  writer.u32(values.length);
  for (const value of values) writer.u32(value.length);
  for (const value of values) writer.bytes(value);
}

function writeFixed(writer: ByteWriter, { bytes, width }: FixedColumn): void {
  writer.u32(bytes.length / width);
  writer.bytes(bytes);
}
