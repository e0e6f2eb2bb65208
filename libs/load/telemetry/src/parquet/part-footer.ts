import { basename } from 'node:path';
import type { Disk, DiskFile } from '#platform/disk';
import { DomainError } from '#platform/foundation';
import { ByteReader } from '../bytes/byte-reader.ts';
import { crc32c } from '../bytes/crc32c.ts';
import { ThriftStruct } from './thrift-struct.ts';

/** Properties of a Parquet file, read from its footer. */
export interface PartFooter {
  readonly rows: number;
  /** Size of the whole file. */
  readonly bytes: number;
  /** CRC-32C of the footer, from its first byte to the end of the file: eight hexadecimal digits. */
  readonly footerCrc: string;
  /** Modification time in milliseconds since 1970. */
  readonly modifiedMs: number;
}

/** The bytes of a footer and its parsed metadata. */
export interface PartMetadata {
  readonly footer: Uint8Array;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly rows: number;
  readonly rowGroups: readonly ThriftStruct[];
}

/** Field ids of FileMetaData. */
const FIELD = { rows: 3, rowGroups: 4 } as const;
const MAGIC = Buffer.from('PAR1');
/** u32 length of the metadata, then the magic. */
const TRAILER_BYTES = 8;

/** Reads the footer of a file. Throws REPORT_DATA_UNREADABLE if it is not a valid Parquet footer. */
export async function readFooter(disk: Disk, path: string): Promise<PartFooter> {
  const file = await disk.open(path, 'read');
  try {
    const { footer, bytes, rows } = await readMetadata(file, path);
    const modifiedMs = await file.modifiedMs();
    return { rows, bytes, footerCrc: hexadecimal(crc32c(footer)), modifiedMs };
  } finally {
    await file.close();
  }
}

/** Throws as {@link readFooter} does. */
export async function readMetadata(file: DiskFile, path: string): Promise<PartMetadata> {
  const bytes = await file.size();
  const trailer = Buffer.alloc(TRAILER_BYTES);
  await file.read(trailer, Math.max(0, bytes - TRAILER_BYTES));
  const footerBytes = trailer.readUInt32LE(0) + TRAILER_BYTES;
  if (!trailer.subarray(4).equals(MAGIC) || footerBytes > bytes) throw unreadable(path);
  const footer = Buffer.alloc(footerBytes);
  await file.read(footer, bytes - footerBytes);
  return unreadableUnless(path, () => {
    const metadata = new ThriftStruct(new ByteReader(footer));
    return { footer, bytes, rows: metadata.count(FIELD.rows), rowGroups: metadata.structs(FIELD.rowGroups) };
  });
}

/** Returns the result of `read`. Any exception becomes REPORT_DATA_UNREADABLE with the file's name. */
export function unreadableUnless<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw unreadable(path, error);
  }
}

function unreadable(path: string, cause?: unknown): DomainError {
  const message = `expected ${basename(path)} to be a whole Parquet file`;
  return new DomainError('REPORT_DATA_UNREADABLE', message, { cause });
}

function hexadecimal(checksum: number): string {
  return checksum.toString(16).padStart(8, '0');
}
