/**
 * The first sector of a log file, written and synced before any frame. Little-endian.
 *
 *   offset  bytes
 *   0       8      "PLEXWAL" and a zero
 *   8       4      format version
 *   12      4      salt of the frames, random, not zero
 *   16      8      number of the file
 *   24      8      sequence number of the first batch
 *   32      4      CRC-32C over bytes 0–31
 *   36      476    zeros; the first frame begins at 512, so that no frame shares the header's sector
 */
import { randomInt } from 'node:crypto';
import { crc32c } from '../encoding/crc32c.ts';
import { getU32, getU64, setU32, setU64 } from '../encoding/integers.ts';
import { tooNewStore } from '../store/store-error.ts';

export const WAL_HEADER_BYTES = 512;
export const WAL_FORMAT = 1;
const MAGIC = new TextEncoder().encode('PLEXWAL\0');
const CRC_AT = 32;

export interface WalHeader {
  readonly number: number;
  readonly firstSeq: number;
  readonly salt: number;
}

export function newWalHeader(number: number, firstSeq: number): WalHeader {
  return { number, firstSeq, salt: randomInt(1, 2 ** 32 - 1) };
}

export function encodeWalHeader(header: WalHeader): Uint8Array {
  const bytes = new Uint8Array(WAL_HEADER_BYTES);
  bytes.set(MAGIC);
  setU32(bytes, 8, WAL_FORMAT);
  setU32(bytes, 12, header.salt);
  setU64(bytes, 16, header.number);
  setU64(bytes, 24, header.firstSeq);
  setU32(bytes, CRC_AT, crc32c(bytes.subarray(0, CRC_AT)));
  return bytes;
}

/** Undefined if the header is incomplete or damaged. Throws STORE_TOO_NEW if a newer release wrote it. */
export function decodeWalHeader(bytes: Uint8Array, file: string): WalHeader | undefined {
  if (bytes.length < WAL_HEADER_BYTES) return undefined;
  if (crc32c(bytes.subarray(0, CRC_AT)) !== getU32(bytes, CRC_AT)) return undefined;
  if (MAGIC.some((byte, i) => bytes[i] !== byte)) return undefined;
  const format = getU32(bytes, 8);
  if (format > WAL_FORMAT) throw tooNewStore(file, format, WAL_FORMAT);
  return { salt: getU32(bytes, 12), number: getU64(bytes, 16), firstSeq: getU64(bytes, 24) };
}
