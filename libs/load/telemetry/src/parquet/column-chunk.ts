import type { Column } from '../table/table-batch.ts';
import type { EncodedChunk } from './chunk-pages.ts';
import type { Compression } from './compression.ts';

/** One column of a part, page by page and row group by row group. */
export interface ColumnChunk {
  /** Bytes of texts and blobs in the page that is open, roughly. */
  readonly pendingBytes: number;
  /** Copies the rows `from` to `to` of a batch's column to the open page. */
  append(column: Column, from: number, to: number): void;
  /** Encodes the open page; the next one begins. */
  endPage(): void;
  /** Ends the row group; no page is open. */
  finish(): EncodedChunk;
}

export interface ChunkOptions {
  readonly isNullable: boolean;
  readonly compression: Compression;
  /** At most so many rows are appended to a page. */
  readonly pageRows: number;
}
