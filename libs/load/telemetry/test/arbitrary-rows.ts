import fc from 'fast-check';
import { TABLE_NAMES, TableBuilder, type RowOf, type TableBatch, type TableName } from '#load/telemetry';
import { columnsOf, type ColumnSpec } from '../src/table/column-spec.ts';
import type { ColumnKind } from '../src/table/tables.ts';

const integer = (least: number, most: number) =>
  fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.integer({ min: least, max: most }),
    fc.constantFrom(least, most),
  );
const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 12 }), fc.constantFrom('', 'transfer', 'é\0😀'));

const BY_KIND: Readonly<Record<ColumnKind, fc.Arbitrary<unknown>>> = {
  i64: fc.oneof(
    integer(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
    fc.integer({ min: 1.7e15, max: 1.7e15 + 1e9 }),
  ),
  i32: integer(-(2 ** 31), 2 ** 31 - 1),
  u8: integer(0, 255),
  bool: fc.boolean(),
  dict: fc.constantFrom('transfer', 'deploy', 'calldata'),
  utf8: text,
  wei: fc.oneof(fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n - 1n }), fc.constantFrom(0n, 10n ** 18n)),
  bytes32: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  address: fc.uint8Array({ minLength: 20, maxLength: 20, max: 2 }),
  bytes: fc.uint8Array({ maxLength: 20 }),
};

function arbitraryValue({ kind, isNullable, choices }: ColumnSpec): fc.Arbitrary<unknown> {
  const value = choices === undefined ? BY_KIND[kind] : fc.constantFrom(...choices);
  return isNullable ? fc.option(value, { freq: 2 }) : value;
}

/** A row with values from the whole range of each column. The column specs guarantee its type. */
export function arbitraryRow<T extends TableName>(table: T): fc.Arbitrary<RowOf<T>> {
  const values = Object.fromEntries(columnsOf(table).map((spec) => [spec.name, arbitraryValue(spec)]));
  return fc.record(values) as fc.Arbitrary<object> as fc.Arbitrary<RowOf<T>>;
}

export interface TableRows {
  readonly table: TableName;
  /** Each is a `RowOf` of the table. */
  readonly rows: readonly object[];
}

export function arbitraryRows(maxLength: number): fc.Arbitrary<TableRows> {
  return fc.constantFrom(...TABLE_NAMES).chain((table) =>
    fc.record({
      table: fc.constant(table),
      rows: fc.array(arbitraryRow(table), { minLength: 1, maxLength }),
    }),
  );
}

export function batchOf({ table, rows }: TableRows): TableBatch {
  const builder = new TableBuilder<TableName>(table);
  for (const row of rows) builder.append(row);
  return builder.batch() as TableBatch;
}
