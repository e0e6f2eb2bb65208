import { FIXED_WIDTHS, isNumberKind, type ColumnSpec } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';
import { AddressValues } from './address-values.ts';
import { BlobChunk } from './blob-chunk.ts';
import type { EncodedChunk } from './chunk-pages.ts';
import type { Compression } from './compression.ts';
import { DictionaryChunk } from './dictionary-chunk.ts';
import { HashChunk } from './hash-chunk.ts';
import { NumberChunk } from './number-chunk.ts';
import { TextValues } from './text-values.ts';

/** One column of a part, page by page and row group by row group. */
export interface ColumnChunk {
  /** Bytes of texts and blobs in the page that is open, roughly. */
  readonly pendingBytes: number;
  /** Copies the rows `from` to `to` of a batch's column to the open page. */
  append(column: Column, from: number, to: number): void;
  /** Encodes the open page; the next one begins. */
  endPage(): void;
  /** Ends the row group; no page is open. */
  take(): EncodedChunk;
}

/** `pageRows` bounds what is appended to a page. */
export function columnChunk(spec: ColumnSpec, compression: Compression, pageRows: number): ColumnChunk {
  const { kind, isNullable } = spec;
  if (isNumberKind(kind)) return new NumberChunk({ kind, isNullable, compression, pageRows });
  if (kind === 'bytes32') return new HashChunk({ isNullable, compression, pageRows });
  if (kind === 'bytes') return new BlobChunk({ isNullable, compression, pageRows });
  const values = kind === 'address' ? new AddressValues(FIXED_WIDTHS.address) : new TextValues();
  return new DictionaryChunk(values, { isNullable, compression, pageRows });
}
