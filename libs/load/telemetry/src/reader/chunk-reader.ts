import { crc32 } from 'node:zlib';
import { ByteReader, wireFault } from '../bytes/byte-reader.ts';
import { CODECS, COMPRESSIONS, decompressed, type Compression } from '../parquet/compression.ts';
import { ThriftStruct } from '../parquet/thrift-struct.ts';

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

/** The format's numbers of the members of PageHeader, DataPageHeader and DictionaryPageHeader. */
const HEADER = { rawBytes: 2, bytes: 3, checksum: 4, data: 5, dictionary: 7 } as const;
const PAGE = { values: 1, encoding: 2 } as const;

/** A page as it stands in the file. */
interface RawPage {
  readonly header: ThriftStruct;
  readonly bytes: Uint8Array;
}

/** The pages of a chunk, the dictionary first. Checks the checksum of each. */
export function* pagesOf(rowGroup: Uint8Array, place: ChunkPlace): Generator<Page> {
  const compression = COMPRESSIONS.find((name) => CODECS[name] === place.codec);
  if (compression === undefined) throw wireFault(`expected a codec that is written here, got ${place.codec}`);
  for (const { header, bytes } of rawPagesOf(rowGroup, place)) yield pageOf(header, bytes, compression);
}

/** The same, as they stand in the file. */
export function* rawPagesOf(rowGroup: Uint8Array, { start, end }: ChunkPlace): Generator<RawPage> {
  if (end > rowGroup.length) throw wireFault('expected a whole column chunk');
  const chunk = new ByteReader(rowGroup.subarray(start, end));
  while (!chunk.isAtEnd) {
    const header = new ThriftStruct(chunk);
    const bytes = chunk.bytes(header.count(HEADER.bytes), 'a page');
    if ((crc32(bytes) | 0) !== header.integer(HEADER.checksum)) {
      throw wireFault('expected a page as its checksum has it');
    }
    yield { header, bytes };
  }
}

function pageOf(header: ThriftStruct, bytes: Uint8Array, compression: Compression): Page {
  const isDictionary = header.has(HEADER.dictionary);
  const fields = header.struct(isDictionary ? HEADER.dictionary : HEADER.data);
  const rawBytes = header.count(HEADER.rawBytes);
  const body = decompressed(bytes, compression, rawBytes);
  if (body.length !== rawBytes) throw wireFault(`expected a page of ${rawBytes} bytes, got ${body.length}`);
  return {
    isDictionary,
    values: fields.count(PAGE.values),
    encoding: fields.count(PAGE.encoding),
    body: new ByteReader(body),
  };
}
