import type { Column, TableBatch, TableName } from '#load/telemetry';
import { columnsOf } from '../src/table/column-spec.ts';

/** A value in the form common to all readers: wei as decimal text, bytes as `0x…`. */
export type PlainValue = string | number | boolean | null;
export type PlainRow = Readonly<Record<string, PlainValue>>;

export function plainRows(rows: readonly object[]): PlainRow[] {
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)])),
  );
}

/** Converts a reader's representation of a whole number, a text or bytes. */
export function plainValue(value: unknown): PlainValue {
  if (value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString('hex')}`;
  return value as PlainValue;
}

export function rowsOfBatch(batch: TableBatch): PlainRow[] {
  const columns: Readonly<Record<string, Column>> = batch.columns;
  return Array.from({ length: batch.rowCount }, (_, row) =>
    Object.fromEntries(
      columnsOf(batch.table).map(({ name, kind }) => {
        const value = valueAt(columns[name], row);
        return [name, kind === 'bool' && value !== null ? value === 1 : value];
      }),
    ),
  );
}

function valueAt(column: Column | undefined, row: number): PlainValue {
  if (column === undefined) throw new Error('expected a column');
  if (column.form === 'number') return Number.isNaN(column.values[row]) ? null : (column.values[row] ?? null);
  const code = column.codes[row] ?? -1;
  if (code < 0) return null;
  if (column.form === 'text') return column.texts[code] ?? null;
  if (column.form === 'blob') return plainValue(column.blobs[code]);
  return plainValue(column.bytes.subarray(code * column.width, (code + 1) * column.width));
}

/** The row as stored in Parquet, with i64 as text, because some readers return bigint. */
export function parquetRow(table: TableName, row: PlainRow): PlainRow {
  return Object.fromEntries(
    columnsOf(table).map(({ name, kind }) => [
      name,
      kind === 'i64' && row[name] !== null ? String(row[name]) : (row[name] ?? null),
    ]),
  );
}
