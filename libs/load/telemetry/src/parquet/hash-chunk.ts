/**
 * Hashes as text. All are different, with `0x` as their common prefix. *Hot path*.
 *
 * DELTA_BYTE_ARRAY stores for each value the length of the prefix shared with the previous value, and the
 * suffix: here two constant lengths, which pack to almost nothing, and 64 digits. Snappy cannot shrink these
 * digits, and takes longer than all other steps together, so under `snappy` this column is not compressed.
 * Codecs with an entropy coder halve it.
 */
import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { FIXED_WIDTHS } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';
import { writeLevels } from './bit-packing.ts';
import { ChunkPages, ENCODING, type EncodedChunk } from './chunk-pages.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';
import { writePacked } from './delta-packing.ts';
import { fillHex, HEX_PREFIX } from './value-dictionary.ts';

const WIDTH = FIXED_WIDTHS.bytes32;
const DIGITS = WIDTH * 2;
const out = new ByteWriter();

export class HashChunk implements ColumnChunk {
  readonly pendingBytes = 0;
  readonly #isNullable: boolean;
  readonly #pages: ChunkPages;
  readonly #hashes: Uint8Array;
  readonly #levels: Int32Array;
  /**
   * In each page, all prefix lengths except the first are 2, and all suffix lengths except the first are 64.
   */
  readonly #prefixLengths: Int32Array;
  readonly #suffixLengths: Int32Array;
  #rows = 0;
  #count = 0;

  constructor({ isNullable, compression, pageRows }: ChunkOptions) {
    this.#isNullable = isNullable;
    this.#pages = new ChunkPages(compression === 'snappy' ? 'none' : compression);
    this.#hashes = new Uint8Array(pageRows * WIDTH);
    this.#levels = new Int32Array(pageRows);
    this.#prefixLengths = new Int32Array(pageRows).fill(HEX_PREFIX.length);
    this.#suffixLengths = new Int32Array(pageRows).fill(DIGITS);
    this.#prefixLengths[0] = 0;
    this.#suffixLengths[0] = HEX_PREFIX.length + DIGITS;
  }

  append(column: Column, from: number, to: number): void {
    assert(column.form === 'fixed' && column.width === WIDTH, 'expected hashes');
    const codes = column.codes.subarray(from, to);
    for (let at = 0; at < codes.length;) {
      const end = endOfRun(codes, at);
      const first = codes[at]!;
      this.#levels.fill(first < 0 ? -1 : 0, this.#rows, this.#rows + end - at);
      this.#rows += end - at;
      if (first >= 0) this.#copy(column.bytes, first, end - at);
      at = end;
    }
  }

  endPage(): void {
    const rows = this.#rows;
    const count = this.#count;
    out.reset();
    if (this.#isNullable) writeLevels(out, this.#levels.subarray(0, rows));
    writePacked(out, this.#prefixLengths.subarray(0, count));
    writePacked(out, this.#suffixLengths.subarray(0, count));
    if (count > 0) out.bytes(HEX_PREFIX);
    fillHex(out.room(count * DIGITS), this.#hashes.subarray(0, count * WIDTH));
    this.#pages.add(out.written(), { values: rows, nulls: rows - count, encoding: ENCODING.deltaText });
    this.#rows = 0;
    this.#count = 0;
  }

  finish(): EncodedChunk {
    return this.#pages.finish();
  }

  #copy(bytes: Uint8Array, first: number, count: number): void {
    this.#hashes.set(bytes.subarray(first * WIDTH, (first + count) * WIDTH), this.#count * WIDTH);
    this.#count += count;
  }
}

/** The end of the run of nulls or of consecutive codes that starts at `from`. */
function endOfRun(codes: Int32Array, from: number): number {
  const step = codes[from]! < 0 ? 0 : 1;
  let at = from + 1;
  while (at < codes.length && codes[at] === codes[at - 1]! + step) at++;
  return at;
}
