/**
 * An image: byte arrays (parts), cut into chunks. Little-endian. Checksums are CRC-32 of zlib, which runs at
 * memory speed: an image is large, and only a cache.
 *
 *   file       header | chunks | directory | footer
 *   header     8 "PLEXIMG" and a zero | u32 format version | u32 zero
 *   chunk      stored bytes, zstd if its part is compressed
 *   directory  u32 number of parts; per part: u64 length | u32 flags (1 compressed) | u32 number of chunks;
 *              per chunk: u64 offset | u32 stored length | u32 raw length | u32 CRC-32 of the stored bytes
 *   footer     u64 directory offset | u32 directory length | u32 its CRC-32 | u64 seq | u32 format version
 *              | u32 CRC-32 over bytes 0–27 | 8 "PLEXIMG" and a zero
 */
import { crc32 } from 'node:zlib';
import { getU32, getU64, setU32, setU64 } from '../encoding/integers.ts';

export const IMAGE_FORMAT = 1;
export const IMAGE_HEADER_BYTES = 16;
export const IMAGE_FOOTER_BYTES = 40;
const MAGIC = new TextEncoder().encode('PLEXIMG\0');
const PART_BYTES = 16;
const CHUNK_BYTES = 20;
const COMPRESSED = 1;

export interface ImageChunk {
  readonly offset: number;
  readonly storedBytes: number;
  readonly rawBytes: number;
  readonly checksum: number;
}

export interface ImagePartEntry {
  readonly bytes: number;
  readonly isCompressed: boolean;
  readonly chunks: readonly ImageChunk[];
}

export interface ImageFooter {
  readonly directoryOffset: number;
  readonly directoryBytes: number;
  readonly directoryChecksum: number;
  readonly seq: number;
}

export function encodeImageHeader(): Uint8Array {
  const bytes = new Uint8Array(IMAGE_HEADER_BYTES);
  bytes.set(MAGIC);
  setU32(bytes, 8, IMAGE_FORMAT);
  return bytes;
}

export function encodeDirectory(parts: readonly ImagePartEntry[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + PART_BYTES + part.chunks.length * CHUNK_BYTES, 4);
  const bytes = new Uint8Array(length);
  setU32(bytes, 0, parts.length);
  let at = 4;
  for (const part of parts) {
    setU64(bytes, at, part.bytes);
    setU32(bytes, at + 8, part.isCompressed ? COMPRESSED : 0);
    setU32(bytes, at + 12, part.chunks.length);
    at += PART_BYTES;
    for (const chunk of part.chunks) at = encodeChunk(bytes, at, chunk);
  }
  return bytes;
}

function encodeChunk(bytes: Uint8Array, at: number, chunk: ImageChunk): number {
  setU64(bytes, at, chunk.offset);
  setU32(bytes, at + 8, chunk.storedBytes);
  setU32(bytes, at + 12, chunk.rawBytes);
  setU32(bytes, at + 16, chunk.checksum);
  return at + CHUNK_BYTES;
}

export function decodeDirectory(bytes: Uint8Array): ImagePartEntry[] {
  const parts: ImagePartEntry[] = [];
  let at = 4;
  while (parts.length < getU32(bytes, 0)) {
    const chunks: ImageChunk[] = [];
    const count = getU32(bytes, at + 12);
    const part = { bytes: getU64(bytes, at), isCompressed: getU32(bytes, at + 8) === COMPRESSED, chunks };
    at += PART_BYTES;
    for (; chunks.length < count; at += CHUNK_BYTES) chunks.push(decodeChunk(bytes, at));
    parts.push(part);
  }
  return parts;
}

function decodeChunk(bytes: Uint8Array, at: number): ImageChunk {
  return {
    offset: getU64(bytes, at),
    storedBytes: getU32(bytes, at + 8),
    rawBytes: getU32(bytes, at + 12),
    checksum: getU32(bytes, at + 16),
  };
}

export function encodeImageFooter(footer: ImageFooter): Uint8Array {
  const bytes = new Uint8Array(IMAGE_FOOTER_BYTES);
  setU64(bytes, 0, footer.directoryOffset);
  setU32(bytes, 8, footer.directoryBytes);
  setU32(bytes, 12, footer.directoryChecksum);
  setU64(bytes, 16, footer.seq);
  setU32(bytes, 24, IMAGE_FORMAT);
  setU32(bytes, 28, crc32(bytes.subarray(0, 28)));
  bytes.set(MAGIC, 32);
  return bytes;
}

/** Undefined if it is damaged or of another format: an image is only a cache, so this is not an error. */
export function decodeImageFooter(bytes: Uint8Array): ImageFooter | undefined {
  if (bytes.length !== IMAGE_FOOTER_BYTES || crc32(bytes.subarray(0, 28)) !== getU32(bytes, 28))
    return undefined;
  if (getU32(bytes, 24) !== IMAGE_FORMAT || MAGIC.some((byte, i) => bytes[32 + i] !== byte)) return undefined;
  return {
    directoryOffset: getU64(bytes, 0),
    directoryBytes: getU32(bytes, 8),
    directoryChecksum: getU32(bytes, 12),
    seq: getU64(bytes, 16),
  };
}
