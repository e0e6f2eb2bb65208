import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { PlainRow } from './plain-rows.ts';
import { plainValue } from './plain-rows.ts';

/** The rows of a Parquet file by a reader that shares no code with the writer. */
export async function hyparquetRows(bytes: Uint8Array): Promise<PlainRow[]> {
  const copy = Uint8Array.from(bytes).buffer;
  const file = { byteLength: copy.byteLength, slice: (from: number, to?: number) => copy.slice(from, to) };
  // As they stand in the file: a Date would lose microseconds.
  const parsers = { timestampFromMicroseconds: (us: bigint) => us };
  const rows = await parquetReadObjects({ file, compressors, parsers, utf8: false });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)])),
  );
}
