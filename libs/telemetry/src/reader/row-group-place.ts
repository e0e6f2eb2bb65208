import type { FileMetaData } from '../parquet/part-footer.ts';
import type { ChunkPlace } from './chunk-reader.ts';

/** Where a row group stands in its file. */
export interface RowGroupPlace {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** By the name of the column; positions are those in the row group. */
  readonly chunks: ReadonlyMap<string, ChunkPlace>;
}

/** The row groups that a footer tells of, in order. */
export function placesOf(metadata: FileMetaData): readonly RowGroupPlace[] {
  return metadata.row_groups.map(({ num_rows: rows, columns }) => {
    const chunks = columns.map(({ meta_data: chunk }) => {
      const start = (chunk.dictionary_page_offset ?? chunk.data_page_offset).toNumber();
      const end = start + chunk.total_compressed_size.toNumber();
      return { name: String(chunk.path_in_schema[0]), start, end, codec: chunk.codec };
    });
    const start = Math.min(...chunks.map((chunk) => chunk.start));
    const end = Math.max(...chunks.map((chunk) => chunk.end));
    const within = chunks.map(
      (chunk) =>
        [chunk.name, { start: chunk.start - start, end: chunk.end - start, codec: chunk.codec }] as const,
    );
    return { start, end, rows: rows.toNumber(), chunks: new Map(within) };
  });
}
