import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { PlainRow } from './plain-rows.ts';
import { plainValue } from './plain-rows.ts';

/** The rows of a Parquet file, read by a package that shares no code with the writer. */
export async function hyparquetRows(bytes: Uint8Array): Promise<PlainRow[]> {
  const copy = Uint8Array.from(bytes).buffer;
  const file = { byteLength: copy.byteLength, slice: (from: number, to?: number) => copy.slice(from, to) };
  // Raw numbers, as a Date would lose the microseconds.
  const parsers = { timestampFromMicroseconds: (us: bigint) => us };
  const rows = await parquetReadObjects({ file, compressors, parsers, utf8: false });
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plainValue(value)])),
  );
}
