import { wireFault } from '../bytes/byte-reader.ts';
import type { PartMetadata } from '../parquet/part-footer.ts';
import type { ThriftStruct } from '../parquet/thrift-struct.ts';
import type { ChunkPlace } from './chunk-reader.ts';

/** Where a row group stands in its file. */
export interface RowGroupPlace {
  readonly start: number;
  readonly end: number;
  readonly rows: number;
  /** By the name of the column; positions are those in the row group. */
  readonly chunks: ReadonlyMap<string, ChunkPlace>;
}

type NamedChunk = ChunkPlace & { readonly name: string };

/** The format's numbers of the members of RowGroup, ColumnChunk and ColumnMetaData. */
const ROW_GROUP = { columns: 1, rows: 3 } as const;
const CHUNK = { metadata: 3 } as const;
const METADATA = { path: 3, codec: 4, bytes: 7, pageOffset: 9, dictionaryOffset: 11 } as const;

/** Whatever a damaged footer says, no more is allocated for a column; the writer stays far below. */
const ROW_GROUP_ROWS_MAX = 4_194_304;

/** The row groups that a footer tells of, in order, which lie within the file and have all of its rows. */
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
