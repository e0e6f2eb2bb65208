/**
 * A segment: records in key order, each key once. Little-endian.
 *
 *   file    header | blocks | index | footer
 *   header  8 "PLEXSEG" and a zero | u32 format version | u32 zero
 *   block   u32 stored length s | u32 raw length | u32 CRC-32C over these 8 and the s bytes | s bytes, zstd
 *   raw     records: u8 flags (1 deleted) | u16 key length | u32 value length | u64 seq
 *           | u64 purge at, ms since 1970 (deleted only) | key | value
 *   index   zstd; per block: u64 offset | u64 greatest seq | u16 key length | first key
 *   footer  64 bytes, see {@link encodeFooter}
 *
 * *Hot path*: a rebuild of the graph decodes millions of records.
 */
import { crc32c } from '../encoding/crc32c.ts';
import { getU16, getU32, getU64, setU16, setU32, setU64 } from '../encoding/integers.ts';
import type { VersionedRecord } from '../store/records.ts';
import { corruptStore, tooNewStore } from '../store/store-error.ts';

export const SEGMENT_FORMAT = 1;
export const SEGMENT_HEADER_BYTES = 16;
export const BLOCK_HEADER_BYTES = 12;
export const FOOTER_BYTES = 64;
export const INDEX_ENTRY_HEADER_BYTES = 18;
const MAGIC = new TextEncoder().encode('PLEXSEG\0');
const RECORD_HEADER_BYTES = 15;
const PURGE_AT_BYTES = 8;
const DELETED = 1;
const FOOTER_CRC_AT = 52;
const FOOTER_MAGIC_AT = 56;

export interface SegmentFooter {
  readonly indexOffset: number;
  readonly indexBytes: number;
  readonly indexRawBytes: number;
  readonly indexChecksum: number;
  readonly records: number;
  readonly minSeq: number;
  readonly maxSeq: number;
  readonly blocks: number;
}

export function encodeSegmentHeader(): Uint8Array {
  const bytes = new Uint8Array(SEGMENT_HEADER_BYTES);
  bytes.set(MAGIC);
  setU32(bytes, 8, SEGMENT_FORMAT);
  return bytes;
}

/**
 *   offset  bytes                           offset  bytes
 *   0       8      index offset             40      4      number of blocks
 *   8       4      index length, stored     44      4      format version
 *   12      4      index length, raw        48      4      CRC-32C of the index as stored
 *   16      8      number of records        52      4      CRC-32C over bytes 0–51
 *   24      8      least seq                56      8      "PLEXSEG" and a zero
 *   32      8      greatest seq
 */
export function encodeFooter(footer: SegmentFooter): Uint8Array {
  const bytes = new Uint8Array(FOOTER_BYTES);
  setU64(bytes, 0, footer.indexOffset);
  setU32(bytes, 8, footer.indexBytes);
  setU32(bytes, 12, footer.indexRawBytes);
  setU64(bytes, 16, footer.records);
  setU64(bytes, 24, footer.minSeq);
  setU64(bytes, 32, footer.maxSeq);
  setU32(bytes, 40, footer.blocks);
  setU32(bytes, 44, SEGMENT_FORMAT);
  setU32(bytes, 48, footer.indexChecksum);
  setU32(bytes, FOOTER_CRC_AT, crc32c(bytes.subarray(0, FOOTER_CRC_AT)));
  bytes.set(MAGIC, FOOTER_MAGIC_AT);
  return bytes;
}

/** `offset` is the position of the footer in `file`. */
export function decodeFooter(bytes: Uint8Array, file: string, offset: number): SegmentFooter {
  const isIntact =
    bytes.length === FOOTER_BYTES &&
    crc32c(bytes.subarray(0, FOOTER_CRC_AT)) === getU32(bytes, FOOTER_CRC_AT) &&
    MAGIC.every((byte, i) => bytes[FOOTER_MAGIC_AT + i] === byte);
  if (!isIntact) throw corruptStore(file, offset, 'broken segment footer');
  const format = getU32(bytes, 44);
  if (format > SEGMENT_FORMAT) throw tooNewStore(file, format, SEGMENT_FORMAT);
  return {
    indexOffset: getU64(bytes, 0),
    indexBytes: getU32(bytes, 8),
    indexRawBytes: getU32(bytes, 12),
    records: getU64(bytes, 16),
    minSeq: getU64(bytes, 24),
    maxSeq: getU64(bytes, 32),
    blocks: getU32(bytes, 40),
    indexChecksum: getU32(bytes, 48),
  };
}

export function recordBytes(record: VersionedRecord): number {
  const header = record.isDeleted ? RECORD_HEADER_BYTES + PURGE_AT_BYTES : RECORD_HEADER_BYTES;
  return header + record.key.length + record.value.length;
}

/** Writes a record at `at`; returns the position of the next one. */
export function encodeRecord(into: Uint8Array, at: number, record: VersionedRecord): number {
  into[at] = record.isDeleted ? DELETED : 0;
  setU16(into, at + 1, record.key.length);
  setU32(into, at + 3, record.value.length);
  setU64(into, at + 7, record.seq);
  let next = at + RECORD_HEADER_BYTES;
  if (record.isDeleted) {
    setU64(into, next, record.purgeAtMs);
    next += PURGE_AT_BYTES;
  }
  into.set(record.key, next);
  into.set(record.value, next + record.key.length);
  return next + record.key.length + record.value.length;
}

/** The records of a raw block, as views of it. */
export function decodeRecords(raw: Uint8Array): VersionedRecord[] {
  const records: VersionedRecord[] = [];
  for (let at = 0; at < raw.length; at = endOfRecord(raw, at)) records.push(decodeRecord(raw, at));
  return records;
}

/** The record of a raw block with this key; the others are skipped without decoding. */
export function findRecord(raw: Uint8Array, key: Uint8Array): VersionedRecord | undefined {
  for (let at = 0; at < raw.length; at = endOfRecord(raw, at)) {
    if (hasKey(raw, at, key)) return decodeRecord(raw, at);
  }
  return undefined;
}

function decodeRecord(raw: Uint8Array, at: number): VersionedRecord {
  const isDeleted = raw[at] === DELETED;
  const keyStart = keyStartOf(raw, at);
  const valueStart = keyStart + getU16(raw, at + 1);
  return {
    key: raw.subarray(keyStart, valueStart),
    value: raw.subarray(valueStart, valueStart + getU32(raw, at + 3)),
    seq: getU64(raw, at + 7),
    isDeleted,
    purgeAtMs: isDeleted ? getU64(raw, at + RECORD_HEADER_BYTES) : 0,
  };
}

function endOfRecord(raw: Uint8Array, at: number): number {
  return keyStartOf(raw, at) + getU16(raw, at + 1) + getU32(raw, at + 3);
}

function keyStartOf(raw: Uint8Array, at: number): number {
  return at + RECORD_HEADER_BYTES + (raw[at] === DELETED ? PURGE_AT_BYTES : 0);
}

function hasKey(raw: Uint8Array, at: number, key: Uint8Array): boolean {
  if (getU16(raw, at + 1) !== key.length) return false;
  const start = keyStartOf(raw, at);
  for (let i = key.length - 1; i >= 0; i--) {
    if (raw[start + i] !== key[i]) return false;
  }
  return true;
}
