import { assert } from '#foundation';
import { FIXED_WIDTHS, isFixedKind, isNumberKind, type ColumnSpec } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';

/** A column from what DuckDB gives for each row: numbers, texts, or objects with `bytes`; null. */
export function columnOf({ kind }: ColumnSpec, values: readonly unknown[]): Column {
  if (isNumberKind(kind)) return { form: 'number', values: Float64Array.from(values, numberOf) };
  if (isFixedKind(kind)) return fixedColumn(values, FIXED_WIDTHS[kind]);
  if (kind === 'bytes') {
    const present = values.filter((value) => value !== null).map(bytesOf);
    return { form: 'blob', codes: sequence(values), blobs: present };
  }
  const codes = new Map<unknown, number>();
  const coded = Int32Array.from(values, (value) => (value === null ? -1 : codeOf(codes, value)));
  return { form: 'text', codes: coded, texts: [...codes.keys()].map(String) };
}

/** Rows `from` to `to`. */
export function sliced(column: Column, from: number, to: number): Column {
  if (column.form === 'number') return { ...column, values: column.values.subarray(from, to) };
  return { ...column, codes: column.codes.subarray(from, to) };
}

function fixedColumn(values: readonly unknown[], width: number): Column {
  const present = values.filter((value) => value !== null);
  const bytes = new Uint8Array(present.length * width);
  for (const [at, value] of present.entries()) bytes.set(bytesOf(value), at * width);
  return { form: 'fixed', width, bytes, codes: sequence(values) };
}

/** Numbers the rows that are not null. */
function sequence(values: readonly unknown[]): Int32Array {
  let next = 0;
  return Int32Array.from(values, (value) => (value === null ? -1 : next++));
}

function codeOf(codes: Map<unknown, number>, value: unknown): number {
  const code = codes.get(value) ?? codes.size;
  codes.set(value, code);
  return code;
}

function numberOf(value: unknown): number {
  return value === null ? Number.NaN : Number(value);
}

function bytesOf(value: unknown): Uint8Array {
  assert(typeof value === 'object' && value !== null && 'bytes' in value, 'expected a blob');
  assert(value.bytes instanceof Uint8Array, 'expected bytes in a blob');
  return value.bytes;
}
