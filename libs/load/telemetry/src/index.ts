export { EventBuffer } from './builder/event-buffer.ts';
export { TableBuilder } from './builder/table-builder.ts';
export type {
  EdgeInstance,
  BatchOf,
  Column,
  FixedColumn,
  NumericColumn,
  RowOf,
  TableBatch,
  TextColumn,
} from './table/table-batch.ts';
export { type Compression, COMPRESSIONS } from './parquet/compression.ts';
export { readFooter } from './parquet/part-footer.ts';
export { type BatchHook, readParts, verifyParts } from './reader/read-parts.ts';
export { columnsOf, type ColumnSpec } from './table/column-spec.ts';
export {
  type ColumnType,
  FEED_FLAGS,
  type FindingKind,
  TABLE_NAMES,
  type TableName,
  TABLES,
} from './table/tables.ts';
export { decodeTables } from './wire/decode-tables.ts';
export { encodeTables } from './wire/encode-tables.ts';
export type { PartFile } from './writer/generation.ts';
export { type FinalRows, TelemetryWriter, type TelemetryWriterOptions } from './writer/telemetry-writer.ts';
