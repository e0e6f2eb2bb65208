/** A column of numbers as packed differences, which suit times, nonces and block numbers. *Hot path*. */
import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import { writeLevels } from './bit-packing.ts';
import { ChunkPages, ENCODING, type ChunkRange, type EncodedChunk } from './chunk-pages.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';
import { PACKED_SPAN_MAX, writePacked, writePackedSame } from './delta-packing.ts';

type NumberKind = 'i64' | 'i32' | 'u8' | 'bool';

/** Differences of 32-bit integers must fit in 32 bits. */
const SPAN_MAX_32 = 2 ** 31;
const out = new ByteWriter();

export class NumberChunk implements ColumnChunk {
  readonly pendingBytes = 0;
  readonly #kind: NumberKind;
  readonly #isNullable: boolean;
  readonly #pages: ChunkPages;
  readonly #page: Float64Array;
  readonly #levels: Int32Array;
  #rows = 0;
  #least = Infinity;
  #most = -Infinity;

  constructor(kind: NumberKind, { isNullable, compression, pageRows }: ChunkOptions) {
    this.#kind = kind;
    this.#isNullable = isNullable;
    this.#pages = new ChunkPages(compression);
    this.#page = new Float64Array(pageRows);
    this.#levels = new Int32Array(isNullable ? pageRows : 0);
  }

  append(column: Column, from: number, to: number): void {
    assert(column.form === 'number', 'expected numbers');
    this.#page.set(column.values.subarray(from, to), this.#rows);
    this.#rows += to - from;
  }

  endPage(): void {
    const rows = this.#rows;
    out.reset();
    const count = this.#isNullable ? this.#writeLevelsAndCompact(rows) : rows;
    const encoding = this.#writeValues(this.#page.subarray(0, count));
    this.#pages.add(out.written(), { values: rows, nulls: rows - count, encoding });
    this.#rows = 0;
  }

  finish(): EncodedChunk {
    const range = this.#kind === 'bool' || this.#most < this.#least ? {} : { range: this.#range() };
    this.#least = Infinity;
    this.#most = -Infinity;
    return this.#pages.finish(range);
  }

  /** Writes the levels and moves the non-null values to the front. Returns their number. */
  #writeLevelsAndCompact(rows: number): number {
    let count = 0;
    for (let row = 0; row < rows; row++) {
      const value = this.#page[row]!;
      const isNull = Number.isNaN(value);
      this.#levels[row] = isNull ? -1 : 0;
      if (!isNull) this.#page[count++] = value;
    }
    writeLevels(out, this.#levels.subarray(0, rows));
    return count;
  }

  #writeValues(values: Float64Array): number {
    if (this.#kind === 'bool') {
      writeBits(out.room((values.length + 7) >>> 3), values);
      return ENCODING.plain;
    }
    let least = Infinity;
    let most = -Infinity;
    for (let at = 0; at < values.length; at++) {
      const value = values[at]!;
      if (value < least) least = value;
      if (value > most) most = value;
    }
    if (least < this.#least) this.#least = least;
    if (most > this.#most) this.#most = most;
    if (least === most) {
      writePackedSame(out, least, values.length);
      return ENCODING.deltaPacked;
    }
    if (most - least < (this.#kind === 'i64' ? PACKED_SPAN_MAX : SPAN_MAX_32) || values.length === 0) {
      writePacked(out, values);
      return ENCODING.deltaPacked;
    }
    writePlain(values, this.#kind === 'i64' ? 8 : 4);
    return ENCODING.plain;
  }

  #range(): ChunkRange {
    const width = this.#kind === 'i64' ? 8 : 4;
    return { least: integerBytes(this.#least, width), most: integerBytes(this.#most, width) };
  }
}

function writeBits(room: Uint8Array, values: Float64Array): void {
  room.fill(0);
  for (let at = 0; at < values.length; at++) {
    if (values[at] === 1) room[at >>> 3]! |= 1 << (at & 7);
  }
}

function writePlain(values: Float64Array, width: 4 | 8): void {
  for (const value of values) out.bytes(integerBytes(value, width));
}

function integerBytes(value: number, width: 4 | 8): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes.subarray(0, width);
}
