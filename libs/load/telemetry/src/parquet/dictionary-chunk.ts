/**
 * A column of texts or addresses. *Hot path*.
 *
 * 1. A row group starts with a dictionary: its pages contain codes.
 * 2. If the values of the first page hardly repeat, or the dictionary exceeds its limit, all further pages
 *    are plain, and the dictionary is cleared after each page.
 */
import { assert } from '#platform/foundation';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import { bitWidthOf, writeHybrid, writeLevels } from './bit-packing.ts';
import { ChunkPages, ENCODING, type EncodedChunk } from './chunk-pages.ts';
import type { ChunkOptions, ColumnChunk } from './column-chunk.ts';
import type { ValueDictionary } from './value-dictionary.ts';

const DICTIONARY_BYTES_MAX = 8 * 1024 * 1024;
/** Minimum mean number of occurrences per value for which a dictionary pays. */
const REPEATS_LEAST = 1.5;
const out = new ByteWriter();

export class DictionaryChunk implements ColumnChunk {
  readonly #values: ValueDictionary;
  readonly #isNullable: boolean;
  readonly #pages: ChunkPages;
  readonly #codes: Int32Array;
  #rows = 0;
  /** `byteLength` of the values at the start of the page. */
  #pageStartBytes = 0;
  #isFirstPage = true;
  /** The encoded dictionary; set when the chunk switches to plain pages. */
  #dictionary: { body: Uint8Array; count: number } | undefined;
  #isPlain = false;
  /** The last appended column and the codes of its values: its other rows may follow in the next call. */
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

  /** Keeps the encoded dictionary for the pages that refer to it. Later pages are plain. */
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
