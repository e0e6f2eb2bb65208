import { type BatchOf, type RowOf, TableBuilder, type TableName } from '#load/telemetry';

/** Rows in the form that an edge sends. */
export function batchOfRows<T extends TableName>(table: T, rows: readonly RowOf<T>[]): BatchOf<T> {
  const builder = new TableBuilder(table);
  for (const row of rows) builder.append(row);
  return builder.batch();
}
