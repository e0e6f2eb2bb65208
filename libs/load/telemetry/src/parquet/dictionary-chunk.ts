/**
 * A column of texts or addresses. *Hot path*.
 *
 * 1. A row group begins with a dictionary: its pages hold codes.
 * 2. When the first page shows that values hardly repeat, or when the dictionary has grown too large, pages
 *    are plain from there on, and the values known are forgotten after each.
 */
import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import { bitWidthOf, writeHybrid, writeLevels } from './bit-packing.ts';
import { ChunkPages, ENCODING, type EncodedChunk } from './chunk-pages.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';
import type { ValueDictionary } from './value-dictionary.ts';

const DICTIONARY_BYTES_MAX = 8 * 1024 * 1024;
/** A dictionary pays while a value comes this often, at the mean. */
const REPEATS_LEAST = 1.5;
const out = new ByteWriter();

export class DictionaryChunk implements ColumnChunk {
  readonly #values: ValueDictionary;
  readonly #isNullable: boolean;
  readonly #pages: ChunkPages;
  readonly #codes: Int32Array;
  #rows = 0;
  /** What the values took when the page began. */
  #pageStartBytes = 0;
  #isFirstPage = true;
  /** The encoded dictionary, once pages are plain. */
  #dictionary: { body: Uint8Array; count: number } | undefined;
  #isPlain = false;
  /** The column that came last, and its values' codes here: it may come again for its other rows. */
  #lastColumn: Column | undefined;
  #lastCodes: Int32Array = new Int32Array(0);

  constructor(values: ValueDictionary, { isNullable, compression, pageRows }: ChunkOptions) {
    this.#values = values;
    this.#isNullable = isNullable;
    this.#pages = new ChunkPages(compression);
    this.#codes = new Int32Array(pageRows);
  }

  get pendingBytes(): number {
    return this.#values.byteLength - this.#pageStartBytes;
  }

  append(column: Column, from: number, to: number): void {
    assert(column.form !== 'number', 'expected codes');
    if (column !== this.#lastColumn) {
      this.#lastCodes = this.#values.codesOf(column);
      this.#lastColumn = column;
    }
    const page = this.#codes.subarray(this.#rows, this.#rows + to - from);
    translate(column.codes.subarray(from, to), this.#lastCodes, page);
    this.#rows += page.length;
  }

  endPage(): void {
    const codes = this.#codes.subarray(0, this.#rows);
    const count = countOf(codes);
    if (this.#isFirstPage && this.#values.size * REPEATS_LEAST > count) this.#isPlain = true;
    if (count > 0) this.#isFirstPage = false;
    const isPlain = this.#isPlain || count === 0;
    out.reset();
    if (this.#isNullable) writeLevels(out, codes);
    if (isPlain) this.#writePlain(codes);
    else this.#writeCodes(codes);
    const encoding = isPlain ? ENCODING.plain : ENCODING.dictionary;
    this.#pages.add(out.written(), { values: this.#rows, nulls: this.#rows - count, encoding });
    this.#rows = 0;
    if (this.#isPlain) this.#forget();
    else if (this.#values.byteLength > DICTIONARY_BYTES_MAX) this.#becomePlain();
    this.#pageStartBytes = this.#values.byteLength;
  }

  finish(): EncodedChunk {
    if (!this.#isPlain && this.#values.size > 0) this.#becomePlain();
    const chunk = this.#pages.finish(this.#dictionary && { dictionary: this.#dictionary });
    this.#dictionary = undefined;
    this.#isPlain = false;
    this.#isFirstPage = true;
    this.#pageStartBytes = 0;
    return chunk;
  }

  #writePlain(codes: Int32Array): void {
    for (const code of codes) if (code >= 0) this.#values.writePlain(out, code);
  }

  #writeCodes(codes: Int32Array): void {
    const width = bitWidthOf(this.#values.size - 1);
    out.u8(width);
    writeHybrid(out, codes, width);
  }

  /** What pages refer to is kept, encoded; their successors do without. */
  #becomePlain(): void {
    out.reset();
    for (let code = 0; code < this.#values.size; code++) this.#values.writePlain(out, code);
    this.#dictionary = { body: out.written().slice(), count: this.#values.size };
    this.#isPlain = true;
    this.#forget();
  }

  #forget(): void {
    this.#values.clear();
    this.#lastColumn = undefined;
  }
}

function translate(codes: Int32Array, translation: Int32Array, into: Int32Array): void {
  if (translation.length === 0) into.fill(-1);
  else for (let at = 0; at < codes.length; at++) into[at] = codes[at]! < 0 ? -1 : translation[codes[at]!]!;
}

function countOf(codes: Int32Array): number {
  let count = 0;
  for (let at = 0; at < codes.length; at++) if (codes[at]! >= 0) count++;
  return count;
}
