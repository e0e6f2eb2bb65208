/** A table as a Parquet file; loaded on first use. */
import { type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer';
import type { TableData } from '../../kit/table/table-data.ts';

/**
 * A column has one type: boolean, whole number, number; anything else is text, with lists and records as
 * JSON.
 */
export function parquetOf({ columns, rows }: TableData): ArrayBuffer {
  const names = uniqueNames(columns);
  const columnData = names.map((name, index) =>
    columnOf(
      name,
      rows.map((row) => row[index] ?? null),
    ),
  );
  return parquetWriteBuffer({ columnData, codec: 'SNAPPY' });
}

function columnOf(name: string, values: readonly unknown[]): ColumnSource {
  const present = values.filter((value) => value !== null);
  if (present.length > 0 && present.every((value) => typeof value === 'boolean')) {
    return { name, data: [...values], type: 'BOOLEAN', nullable: true };
  }
  if (present.length > 0 && present.every((value) => Number.isSafeInteger(value))) {
    const data = values.map((value) => (typeof value === 'number' ? BigInt(value) : null));
    return { name, data, type: 'INT64', nullable: true };
  }
  if (present.length > 0 && present.every((value) => typeof value === 'number')) {
    return { name, data: [...values], type: 'DOUBLE', nullable: true };
  }
  return { name, data: values.map(textOf), type: 'STRING', nullable: true };
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Column names must be unique in a file. */
function uniqueNames(columns: readonly string[]): readonly string[] {
  const used = new Set<string>();
  return columns.map((column) => {
    let name = column;
    for (let n = 2; used.has(name); n++) name = `${column}_${n}`;
    used.add(name);
    return name;
  });
}
