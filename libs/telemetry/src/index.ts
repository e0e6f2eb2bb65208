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
