import { pagesOf, type Page } from '../src/reader/chunk-reader.ts';
import type { ColumnChunk } from '../src/parquet/column-chunk.ts';
import type { Column } from '../src/table/table-batch.ts';

/** A row group of one column, with one page for each of the given columns. */
export function pagesIn(chunk: ColumnChunk, pages: readonly Column[]): readonly Page[] {
  for (const column of pages) {
    chunk.append(column, 0, rowsIn(column));
    chunk.endPage();
  }
  const { pieces, codec } = chunk.finish();
  const bytes = Buffer.concat(pieces);
  return [...pagesOf(bytes, { start: 0, end: bytes.length, codec })];
}

function rowsIn(column: Column): number {
  return column.form === 'number' ? column.values.length : column.codes.length;
}
