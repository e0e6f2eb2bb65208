/**
 * A frame is the unit of a group commit: a header and one or more batches. Little-endian.
 *
 *   offset  bytes
 *   0       4      salt of the file
 *   4       4      payload length p, in bytes
 *   8       8      sequence number of the first batch; the others follow without gaps
 *   16      4      number of batches
 *   20      4      CRC-32C over bytes 0–19 and the payload
 *   24      p      payload: per batch u32 length of its operations, u32 their number, the operations
 *
 * The salt is random for each file, so that no stored value can be mistaken for a frame.
 */
import { crc32c } from '../encoding/crc32c.ts';
import { getU32, getU64, setU32, setU64 } from '../encoding/integers.ts';

export const FRAME_HEADER_BYTES = 24;
export const BATCH_HEADER_BYTES = 8;
const CRC_AT = 20;

export interface FrameFields {
  readonly salt: number;
  readonly firstSeq: number;
  readonly batches: number;
}

export interface Frame {
  readonly offset: number;
  /** Header and payload. */
  readonly bytes: number;
  readonly firstSeq: number;
  readonly batches: number;
}

/** One batch of a frame, with the position of its operations. */
export interface BatchSpan {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
  readonly operations: number;
}

/** Fills in the header of a frame with a complete payload; {@link setFrameChecksum} follows. */
export function setFrameHeader(frame: Uint8Array, fields: FrameFields): void {
  setU32(frame, 0, fields.salt);
  setU32(frame, 4, frame.length - FRAME_HEADER_BYTES);
  setU64(frame, 8, fields.firstSeq);
  setU32(frame, 16, fields.batches);
}

export function checksummedHeader(frame: Uint8Array): Uint8Array {
  return frame.subarray(0, CRC_AT);
}

export function setFrameChecksum(frame: Uint8Array, checksum: number): void {
  setU32(frame, CRC_AT, checksum);
}

export function frameChecksum(frame: Uint8Array): number {
  return getU32(frame, CRC_AT);
}

/** The frame at `offset`, or undefined if there is no intact one. */
export function frameAt(bytes: Uint8Array, offset: number, salt: number): Frame | undefined {
  if (offset + FRAME_HEADER_BYTES > bytes.length || getU32(bytes, offset) !== salt) return undefined;
  const end = offset + FRAME_HEADER_BYTES + getU32(bytes, offset + 4);
  if (end > bytes.length) return undefined;
  const header = bytes.subarray(offset, offset + CRC_AT);
  const checksum = crc32c(header, bytes.subarray(offset + FRAME_HEADER_BYTES, end));
  if (checksum !== getU32(bytes, offset + CRC_AT)) return undefined;
  const firstSeq = getU64(bytes, offset + 8);
  return { offset, bytes: end - offset, firstSeq, batches: getU32(bytes, offset + 16) };
}

/** The batches of an intact frame, in order. */
export function* batchesOf(bytes: Uint8Array, frame: Frame): Generator<BatchSpan> {
  let at = frame.offset + FRAME_HEADER_BYTES;
  for (let i = 0; i < frame.batches; i++) {
    const start = at + BATCH_HEADER_BYTES;
    const end = start + getU32(bytes, at);
    yield { seq: frame.firstSeq + i, start, end, operations: getU32(bytes, at + 4) };
    at = end;
  }
}
