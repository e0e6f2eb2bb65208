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

/** Readers show this type as a time. Durations stay numbers. */
const TIME = 'TIMESTAMP_MICROS';
const SPANS: ReadonlySet<string> = new Set(['clock_offset_us', 'clock_error_us', 'loop_delay_p99_us']);

/** The edge instance of a row: the first columns of each file. */
export const IDENTITY_COLUMNS: readonly ColumnSpec[] = ['edge_id', 'instance_id'].map((name) => ({
  name,
  kind: 'dict',
  isNullable: false,
  choices: undefined,
}));

/** The run of a row: the last column of each file. */
const RUN_COLUMN: ColumnSpec = { name: 'run_id', kind: 'dict', isNullable: false, choices: undefined };

/** The columns of a table's files: the edge's identity, the columns of `TABLES`, the run. */
export function partColumns(table: TableName): readonly ColumnSpec[] {
  return [...IDENTITY_COLUMNS, ...columnsOf(table), RUN_COLUMN];
}

export function partSchema(table: TableName): ParquetSchema {
  return new parquet.ParquetSchema(
    Object.fromEntries(
      partColumns(table).map((spec) => [spec.name, { type: typeOf(spec), optional: spec.isNullable }]),
    ),
  );
}

function typeOf({ name, kind }: ColumnSpec): (typeof PARQUET_TYPES)[ColumnKind] | typeof TIME {
  return kind === 'i64' && name.endsWith('_us') && !SPANS.has(name) ? TIME : PARQUET_TYPES[kind];
}
