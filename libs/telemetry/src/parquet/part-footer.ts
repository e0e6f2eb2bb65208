import type { Disk, DiskFile } from '#disk';
import { DomainError } from '#foundation';
import parquetTypes, { type FileMetaData } from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import parquetUtil from 'parquetjs-lite/lib/util.js';
import { basename } from 'node:path';
import { crc32c } from '../bytes/crc32c.ts';

export type { FileMetaData };

/** What the end of a Parquet file tells of it. */
export interface PartFooter {
  readonly rows: number;
  /** Of the whole file. */
  readonly bytes: number;
  /** CRC-32C of the footer, from its first byte to the end of the file: eight hexadecimal digits. */
  readonly footerCrc: string;
}

const MAGIC = Buffer.from('PAR1');
/** Length of the metadata, magic. */
const TRAILER_BYTES = 8;

/** Reads the end of a file. Throws REPORT_DATA_UNREADABLE when it is not that of a Parquet file. */
export async function readFooter(disk: Disk, path: string): Promise<PartFooter> {
  const file = await disk.open(path, 'read');
  try {
    const { footer, bytes, metadata } = await readMetadata(file, path);
    return { rows: metadata.num_rows.toNumber(), bytes, footerCrc: hexadecimal(crc32c(footer)) };
  } finally {
    await file.close();
  }
}

/** The footer as bytes and read. Throws as {@link readFooter} does. */
export async function readMetadata(
  file: DiskFile,
  path: string,
): Promise<{ footer: Uint8Array; bytes: number; metadata: FileMetaData }> {
  const bytes = await file.size();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await file.read(trailer, Math.max(0, bytes - TRAILER_BYTES));
  const footerBytes = trailer.readUInt32LE(0) + TRAILER_BYTES;
  if (!trailer.subarray(4).equals(MAGIC) || footerBytes > bytes) throw unreadable(path);
  const footer = Buffer.alloc(footerBytes);
  await file.read(footer, bytes - footerBytes);
  return { footer, bytes, metadata: decodeMetadata(footer, path) };
}

export function unreadable(path: string, cause?: unknown): DomainError {
  const message = `expected ${basename(path)} to be a whole Parquet file`;
  return new DomainError('REPORT_DATA_UNREADABLE', message, { cause });
}

function decodeMetadata(footer: Uint8Array, path: string): FileMetaData {
  const metadata = new parquetTypes.FileMetaData();
  try {
    parquetUtil.decodeThrift(metadata, footer);
  } catch (error) {
    throw unreadable(path, error);
  }
  return metadata;
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
