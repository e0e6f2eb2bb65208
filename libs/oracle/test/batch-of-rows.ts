import { type Column, type RowOf, TABLES, type TableBatch, type TableName } from '#telemetry';

type Value = number | boolean | string | bigint | Uint8Array | null;

const FIXED_WIDTHS: Readonly<Record<string, number>> = { bytes32: 32, address: 20 };

/** Rows as an edge would send them: the plain way, one column after the other, without a dictionary. */
export function batchOfRows<T extends TableName>(table: T, rows: readonly RowOf<T>[]): TableBatch {
  const types: Readonly<Record<string, string | readonly string[]>> = TABLES[table];
  const columns = Object.entries(types).map(([name, type]): [string, Column] => {
    const values = rows.map((row) => new Map<string, Value>(Object.entries(row)).get(name) ?? null);
    return [name, columnOf(typeof type === 'string' ? type.replace('?', '') : 'dict', values)];
  });
  return { table, rowCount: rows.length, columns: Object.fromEntries<Column>(columns) } as TableBatch;
}

function columnOf(kind: string, values: readonly Value[]): Column {
  if (['i64', 'i32', 'u8', 'bool'].includes(kind)) {
    return {
      form: 'number',
      values: Float64Array.from(values, (value) => (value === null ? NaN : Number(value))),
    };
  }
  let next = 0;
  const codes = Int32Array.from(values, (value) => (value === null ? -1 : next++));
  const present = values.filter((value) => value !== null);
  const width = FIXED_WIDTHS[kind];
  if (width !== undefined) return { form: 'fixed', codes, width, bytes: joined(present as Uint8Array[]) };
  return { form: 'text', codes, texts: present.map(String) };
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
