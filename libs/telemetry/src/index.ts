export {
  FEED_FLAGS,
  LOSSLESS_TABLES,
  TABLE_NAMES,
  TABLES,
  type ColumnKind,
  type ColumnType,
  type TableName,
} from './table/tables.ts';
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
