import parquet, { type ParquetSchema } from 'parquetjs-lite';
import { columnsOf, type ColumnSpec } from '../table/column-spec.ts';
import type { ColumnKind, TableName } from '../table/tables.ts';

const PARQUET_TYPES = {
  i64: 'INT64',
  i32: 'INT32',
  u8: 'INT32',
  bool: 'BOOLEAN',
  dict: 'UTF8',
  utf8: 'UTF8',
  wei: 'UTF8',
  bytes32: 'UTF8',
  address: 'UTF8',
  bytes: 'BYTE_ARRAY',
} as const satisfies Record<ColumnKind, string>;

/** Whose row it is: first in each file. */
export const IDENTITY_COLUMNS: readonly ColumnSpec[] = ['edge_id', 'instance_id'].map((name) => ({
  name,
  kind: 'dict',
  isNullable: false,
  choices: undefined,
}));

/** The columns of a table's files: the edge's identity, then those of `TABLES`. */
export function partColumns(table: TableName): readonly ColumnSpec[] {
  return [...IDENTITY_COLUMNS, ...columnsOf(table)];
}

export function partSchema(table: TableName): ParquetSchema {
  return new parquet.ParquetSchema(
    Object.fromEntries(
      partColumns(table).map(({ name, kind, isNullable }) => [
        name,
        { type: PARQUET_TYPES[kind], optional: isNullable },
      ]),
    ),
  );
}
