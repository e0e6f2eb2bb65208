import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import { writeLevels } from './bit-packing.ts';
import { ChunkPages, ENCODING, type EncodedChunk } from './chunk-pages.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';

const out = new ByteWriter();

/** A column of blobs in plain encoding: each value is preceded by its length. */
export class BlobChunk implements ColumnChunk {
  readonly #isNullable: boolean;
  readonly #pages: ChunkPages;
  readonly #levels: Int32Array;
  #blobs: Uint8Array[] = [];
  #rows = 0;
  pendingBytes = 0;

  constructor({ isNullable, compression, pageRows }: ChunkOptions) {
    this.#isNullable = isNullable;
    this.#pages = new ChunkPages(compression);
    this.#levels = new Int32Array(pageRows);
  }

  append(column: Column, from: number, to: number): void {
    assert(column.form === 'blob', 'expected blobs');
    for (const code of column.codes.subarray(from, to)) {
      const blob = column.blobs[code];
      this.#levels[this.#rows++] = blob === undefined ? -1 : 0;
      if (blob === undefined) continue;
      this.#blobs.push(blob);
      this.pendingBytes += blob.length;
    }
  }

  endPage(): void {
    const values = this.#rows;
    out.reset();
    if (this.#isNullable) writeLevels(out, this.#levels.subarray(0, values));
    for (const blob of this.#blobs) {
      out.u32(blob.length);
      out.bytes(blob);
    }
    const nulls = values - this.#blobs.length;
    this.#pages.add(out.written(), { values, nulls, encoding: ENCODING.plain });
    this.#blobs = [];
    this.#rows = this.pendingBytes = 0;
  }

  finish(): EncodedChunk {
    return this.#pages.finish();
  }
}
