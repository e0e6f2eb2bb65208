import type { Disk } from '#disk';
import { DomainError } from '#foundation';
import parquetTypes from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import parquetUtil from 'parquetjs-lite/lib/util.js';
import { basename } from 'node:path';
import { crc32c } from '../bytes/crc32c.ts';

/** What the end of a Parquet file tells of it. */
export interface PartFooter {
  readonly rows: number;
  /** Of the whole file. */
  readonly bytes: number;
  readonly footerCrc: string;
}

const MAGIC = Buffer.from('PAR1');
/** Length of the metadata, magic. */
const TRAILER_BYTES = 8;

/** Reads the end of a file. Throws REPORT_DATA_UNREADABLE when it is not that of a Parquet file. */
export async function readFooter(disk: Disk, path: string): Promise<PartFooter> {
  const file = await disk.open(path, 'read');
  try {
    const bytes = await file.size();
    const trailer = Buffer.alloc(TRAILER_BYTES);
    await file.read(trailer, Math.max(0, bytes - TRAILER_BYTES));
    const footerBytes = trailer.readUInt32LE(0) + TRAILER_BYTES;
    if (!trailer.subarray(4).equals(MAGIC) || footerBytes > bytes) throw unreadable(path);
    const footer = Buffer.alloc(footerBytes);
    await file.read(footer, bytes - footerBytes);
    return { rows: rowsOf(footer, path), bytes, footerCrc: hexadecimal(crc32c(footer)) };
  } finally {
    await file.close();
  }
}

function rowsOf(footer: Buffer, path: string): number {
  const metadata = new parquetTypes.FileMetaData();
  try {
    parquetUtil.decodeThrift(metadata, footer);
    return metadata.num_rows.toNumber();
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause?: unknown): DomainError {
  return new DomainError(
    'REPORT_DATA_UNREADABLE',
    `expected the footer of a Parquet file at the end of ${basename(path)}`,
    { cause },
  );
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
