import { crc32 } from 'node:zlib';
import parquetTypes from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import parquetUtil from 'parquetjs-lite/lib/util.js';
import { CODECS, compressed, type Compression } from './compression.ts';

/** Encoding numbers of the Parquet format. */
export const ENCODING = { plain: 0, dictionary: 2, rle: 3, deltaPacked: 5, deltaText: 7 } as const;

/** A chunk is left uncompressed if its first page exceeds this ratio, as packed differences usually do. */
const SHRINKS_TO = 0.95;

/** Minimum and maximum of a numeric column chunk, as encoded in the file. */
export interface ChunkRange {
  readonly least: Uint8Array;
  readonly most: Uint8Array;
}

/** One column of one row group, encoded. */
export interface EncodedChunk {
  /** The bytes of the chunk in order; the dictionary page, if any, is first. */
  readonly pieces: readonly Uint8Array[];
  readonly dictionaryBytes: number;
  readonly bytes: number;
  readonly rawBytes: number;
  readonly codec: number;
  readonly encodings: readonly number[];
  readonly values: number;
  readonly nulls: number;
  readonly range: ChunkRange | undefined;
}

/** The pages of a column chunk. Each page is compressed as soon as it is added. */
export class ChunkPages {
  readonly #compression: Compression;
  /** The compression of this chunk, chosen by its first page. */
  #chosen: Compression | undefined;
  #pieces: Uint8Array[] = [];
  #rawBytes = 0;
  #encodings = new Set<number>();
  #values = 0;
  #nulls = 0;

  constructor(compression: Compression) {
    this.#compression = compression;
  }

  /** `body` contains the levels of a nullable column, then the encoded values. It is copied. */
  add(body: Uint8Array, page: { values: number; nulls: number; encoding: number }): void {
    this.#values += page.values;
    this.#nulls += page.nulls;
    this.#encodings.add(page.encoding);
    this.#pieces.push(
      ...this.#encoded(body, {
        type: parquetTypes.PageType.DATA_PAGE,
        data_page_header: new parquetTypes.DataPageHeader({
          num_values: page.values,
          encoding: page.encoding,
          definition_level_encoding: ENCODING.rle,
          repetition_level_encoding: ENCODING.rle,
        }),
      }),
    );
  }

  /** Ends the chunk and starts the next one. `dictionary` contains `count` values in plain encoding. */
  finish(end: { dictionary?: { body: Uint8Array; count: number }; range?: ChunkRange } = {}): EncodedChunk {
    const dictionary = end.dictionary && this.#dictionaryPage(end.dictionary);
    const pieces = dictionary === undefined ? this.#pieces : [...dictionary, ...this.#pieces];
    const chunk = {
      pieces,
      dictionaryBytes: totalBytes(dictionary ?? []),
      bytes: totalBytes(pieces),
      rawBytes: this.#rawBytes,
      codec: CODECS[this.#chosen ?? this.#compression],
      encodings: [ENCODING.rle, ...this.#encodings],
      values: this.#values,
      nulls: this.#nulls,
      range: end.range,
    };
    this.#pieces = [];
    this.#encodings = new Set();
    this.#chosen = undefined;
    this.#rawBytes = this.#values = this.#nulls = 0;
    return chunk;
  }

  #dictionaryPage({ body, count }: { body: Uint8Array; count: number }): readonly Uint8Array[] {
    return this.#encoded(body, {
      type: parquetTypes.PageType.DICTIONARY_PAGE,
      dictionary_page_header: new parquetTypes.DictionaryPageHeader({
        num_values: count,
        encoding: ENCODING.dictionary,
      }),
    });
  }

  #encoded(body: Uint8Array, fields: Readonly<Record<string, unknown>>): readonly Uint8Array[] {
    const bytes = this.#compressed(body);
    const header = parquetUtil.serializeThrift(
      new parquetTypes.PageHeader({
        ...fields,
        uncompressed_page_size: body.length,
        compressed_page_size: bytes.length,
        // The format defines it as signed.
        crc: crc32(bytes) | 0,
      }),
    );
    this.#rawBytes += header.length + body.length;
    return [header, bytes === body ? body.slice() : bytes];
  }

  #compressed(body: Uint8Array): Uint8Array {
    const bytes = compressed(body, this.#chosen ?? this.#compression);
    const isInVain = this.#chosen === undefined && bytes.length > body.length * SHRINKS_TO;
    this.#chosen ??= isInVain ? 'none' : this.#compression;
    return isInVain ? body : bytes;
  }
}

function totalBytes(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}
