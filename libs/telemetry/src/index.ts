export {
  FEED_FLAGS,
  FINDING_KINDS,
  LOSSLESS_TABLES,
  TABLE_NAMES,
  TABLES,
  type ColumnKind,
  type ColumnType,
  type FindingKind,
  type TableName,
} from './table/tables.ts';
export { columnsOf, type ColumnSpec } from './table/column-spec.ts';
export type {
  BatchOf,
  BlobColumn,
  Column,
  FixedColumn,
  NumberColumn,
  RowOf,
  TableBatch,
  TextColumn,
} from './table/table-batch.ts';
export { EventBuffer, type EncodedBatch, type EventBufferOptions } from './buffer/event-buffer.ts';
export { TableBuilder } from './builder/table-builder.ts';
export { decodeTables } from './wire/decode-tables.ts';
export { encodeTables } from './wire/encode-tables.ts';
export type { EdgeInstance } from './edge-instance.ts';
export { COMPRESSIONS, type Compression } from './parquet/compression.ts';
export type { PartFile } from './writer/part-list.ts';
export { readFooter, type PartFooter } from './parquet/part-footer.ts';
export { TelemetryWriter, type FinalRows, type TelemetryWriterOptions } from './writer/telemetry-writer.ts';
export { readParts, verifyPart, type BatchHook } from './reader/read-parts.ts';
