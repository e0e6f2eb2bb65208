import type { Field } from 'parquetjs-lite';
import parquetTypes from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import type { Column } from '../table/table-batch.ts';
import type { ChunkRange, EncodedChunk } from './chunk-pages.ts';
import type { Compression } from './compression.ts';

/** The encoder of one column of a part, reused for every page and row group. */
export interface ColumnChunk {
  /** Approximate bytes of texts and blobs in the open page. */
  readonly pendingBytes: number;
  /** Copies the rows from `from` to before `to` of a batch's column to the open page. */
  append(column: Column, from: number, to: number): void;
  /** Encodes the open page and starts the next one. */
  endPage(): void;
  /** Ends the row group. The open page must be empty. */
  finish(): EncodedChunk;
}

export interface ChunkOptions {
  readonly isNullable: boolean;
  readonly compression: Compression;
  /** Maximum number of rows in a page. */
  readonly pageRows: number;
}

/** The footer's metadata of a row group whose chunks are stored consecutively from `offset` on. */
export function rowGroupMetadata(
  fields: readonly Field[],
  chunks: readonly EncodedChunk[],
  { offset, rows }: { readonly offset: number; readonly rows: number },
): object {
  let at = offset;
  const columns: object[] = [];
  for (const [index, chunk] of chunks.entries()) {
    const field = fields[index];
    if (field !== undefined) columns.push(columnMetadata(field, chunk, at));
    at += chunk.bytes;
  }
  return new parquetTypes.RowGroup({ columns, num_rows: rows, total_byte_size: at - offset });
}

function columnMetadata(field: Field, chunk: EncodedChunk, offset: number): object {
  const isDictionary = chunk.dictionaryBytes > 0;
  return new parquetTypes.ColumnChunk({
    file_offset: offset,
    meta_data: new parquetTypes.ColumnMetaData({
      type: parquetTypes.Type[field.primitiveType],
      encodings: chunk.encodings,
      path_in_schema: field.path,
      codec: chunk.codec,
      num_values: chunk.values,
      total_uncompressed_size: chunk.rawBytes,
      total_compressed_size: chunk.bytes,
      data_page_offset: offset + chunk.dictionaryBytes,
      ...(isDictionary && { dictionary_page_offset: offset }),
      statistics: statistics(chunk.nulls, chunk.range),
    }),
  });
}

/** `min`/`max` are for older readers, `min_value`/`max_value` for newer ones; equal for whole numbers. */
function statistics(nulls: number, range: ChunkRange | undefined): object {
  return new parquetTypes.Statistics({
    null_count: nulls,
    ...(range && { min: range.least, max: range.most, min_value: range.least, max_value: range.most }),
  });
}
