import parquetTypes, { type PageHeader } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import parquetUtil from 'parquetjs-lite/lib/util.js';
import { crc32 } from 'node:zlib';
import { ByteReader, wireFault } from '../bytes/byte-reader.ts';
import { CODECS, COMPRESSIONS, decompressed, type Compression } from '../parquet/compression.ts';

/** One page of a column chunk, decompressed. */
export interface Page {
  readonly isDictionary: boolean;
  readonly values: number;
  readonly encoding: number;
  readonly body: ByteReader;
}

/** Where a column chunk stands in the bytes of its row group, and how it is compressed. */
export interface ChunkPlace {
  readonly start: number;
  readonly end: number;
  readonly codec: number;
}

/** The pages of a chunk, the dictionary first. Checks the checksum of each. */
export function* pagesOf(rowGroup: Uint8Array, { start, end, codec }: ChunkPlace): Generator<Page> {
  const compression = COMPRESSIONS.find((name) => CODECS[name] === codec);
  if (compression === undefined) throw wireFault(`expected a codec that is written here, got ${codec}`);
  for (let at = start; at < end;) {
    const header = new parquetTypes.PageHeader();
    at += parquetUtil.decodeThrift(header, Buffer.from(rowGroup.buffer, rowGroup.byteOffset, end), at);
    const bytes = rowGroup.subarray(at, at + header.compressed_page_size);
    at += header.compressed_page_size;
    yield pageOf(header, bytes, compression);
  }
}

function pageOf(header: PageHeader, bytes: Uint8Array, compression: Compression): Page {
  if ((crc32(bytes) | 0) !== header.crc) throw wireFault('expected a page as its checksum has it');
  const fields = header.dictionary_page_header ?? header.data_page_header;
  if (fields === null) throw wireFault('expected a data page or a dictionary');
  return {
    isDictionary: header.dictionary_page_header !== null,
    values: fields.num_values,
    encoding: fields.encoding,
    body: new ByteReader(decompressed(bytes, compression, header.uncompressed_page_size)),
  };
}
