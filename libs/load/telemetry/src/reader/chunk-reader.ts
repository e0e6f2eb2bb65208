import { crc32 } from 'node:zlib';
import { ByteReader, wireFault } from '../bytes/byte-reader.ts';
import { CODECS, type Compression, COMPRESSIONS, decompressed } from '../parquet/compression.ts';
import type { PartMetadata } from '../parquet/part-footer.ts';
import { ThriftStruct } from '../parquet/thrift-struct.ts';

/** One page of a column chunk, decompressed. */
export interface Page {
  readonly isDictionary: boolean;
  readonly values: number;
  readonly encoding: number;
  readonly body: ByteReader;
}

/** The byte range of a column chunk in its row group, and its codec number. */
interface ChunkPlace {
  readonly start: number;
  readonly end: number;
  readonly codec: number;
}

/** Field ids of PageHeader, DataPageHeader and DictionaryPageHeader. */
const HEADER = { rawBytes: 2, bytes: 3, checksum: 4, data: 5, dictionary: 7 } as const;
const PAGE = { values: 1, encoding: 2 } as const;

/** A page as stored in the file, possibly compressed. */
interface RawPage {
  readonly header: ThriftStruct;
  readonly bytes: Uint8Array;
}

/** The decompressed pages of a chunk, the dictionary first. Verifies the checksum of each page. */
export function* pagesOf(rowGroup: Uint8Array, place: ChunkPlace): Generator<Page> {
  const compression = COMPRESSIONS.find((name) => CODECS[name] === place.codec);
  if (compression === undefined) throw wireFault(`expected a supported codec, got ${place.codec}`);
  for (const { header, bytes } of rawPagesOf(rowGroup, place)) yield pageOf(header, bytes, compression);
}

/** Like {@link pagesOf}, without decompression. */
export function* rawPagesOf(rowGroup: Uint8Array, { start, end }: ChunkPlace): Generator<RawPage> {
  if (end > rowGroup.length) throw wireFault('expected a whole column chunk');
  const chunk = new ByteReader(rowGroup.subarray(start, end));
  while (!chunk.isAtEnd) {
    const header = new ThriftStruct(chunk);
    const bytes = chunk.bytes(header.count(HEADER.bytes), 'a page');
    if ((crc32(bytes) | 0) !== header.integer(HEADER.checksum)) {
      throw wireFault('expected a page that matches its checksum');
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

/** The byte range of a row group in its file. */
export interface RowGroupPlace {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** Chunks by column name; positions are relative to the row group. */
  readonly chunks: ReadonlyMap<string, ChunkPlace>;
}

type NamedChunk = ChunkPlace & { readonly name: string };

/** Field ids of RowGroup, ColumnChunk and ColumnMetaData. */
const ROW_GROUP = { columns: 1, rows: 3 } as const;
const CHUNK = { metadata: 3 } as const;
const METADATA = { path: 3, codec: 4, bytes: 7, pageOffset: 9, dictionaryOffset: 11 } as const;

/** Bounds the memory allocated for a column of a damaged footer; the writer stays far below. */
const ROW_GROUP_ROWS_MAX = 4_194_304;

/** The row groups of a footer in order. Throws WIRE_FORMAT if one exceeds the file or rows are missing. */
export function placesOf({ rowGroups, rows, bytes }: PartMetadata): readonly RowGroupPlace[] {
  const places = rowGroups.map(placeOf);
  for (const { end } of places) if (end > bytes) throw wireFault('expected row groups within the file');
  const found = places.reduce((sum, place) => sum + place.rows, 0);
  if (found !== rows) throw wireFault(`expected ${rows} rows in all row groups, got ${found}`);
  return places;
}

function placeOf(rowGroup: ThriftStruct): RowGroupPlace {
  const rows = rowGroup.count(ROW_GROUP.rows);
  const chunks = rowGroup.structs(ROW_GROUP.columns).map(chunkOf);
  if (rows > ROW_GROUP_ROWS_MAX || chunks.length === 0) throw wireFault('expected a row group of ours');
  const start = Math.min(...chunks.map((chunk) => chunk.start));
  const end = Math.max(...chunks.map((chunk) => chunk.end));
  const within = chunks.map(
    ({ name, codec, ...chunk }) =>
      [name, { start: chunk.start - start, end: chunk.end - start, codec }] as const,
  );
  return { start, end, rows, chunks: new Map(within) };
}

function chunkOf(chunk: ThriftStruct): NamedChunk {
  const metadata = chunk.struct(CHUNK.metadata);
  const hasDictionary = metadata.has(METADATA.dictionaryOffset);
  const start = metadata.count(hasDictionary ? METADATA.dictionaryOffset : METADATA.pageOffset);
  const end = start + metadata.count(METADATA.bytes);
  const [name = ''] = metadata.texts(METADATA.path);
  return { name, start, end, codec: metadata.count(METADATA.codec) };
}
