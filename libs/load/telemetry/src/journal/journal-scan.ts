/**
 * Reads a journal back. Frames are accepted while they are intact and in sequence.
 *
 * The bytes after the last accepted frame belong to a frame whose write was interrupted by a crash. It was
 * never acknowledged, so it is ignored (*torn*). If an intact frame follows, durable bytes were damaged, and
 * the journal is rejected (*corrupt*).
 */
import { DomainError } from '#platform/foundation';
import { ByteReader } from '../bytes/byte-reader.ts';
import {
  CRC_AT,
  decodeBatches,
  decodeMarks,
  FILE_HEADER_BYTES,
  FRAME_HEADER_BYTES,
  isIntact,
  JOURNAL_MAGIC,
  JOURNAL_VERSION,
  type JournalBatch,
  type JournalHeader,
} from './journal-format.ts';

export interface JournalScan extends JournalHeader {
  /** The accepted frames in order. */
  readonly frames: readonly Frame[];
  /** Number of bytes after the last accepted frame. */
  readonly tornBytes: number;
}

interface Frame {
  readonly end: number;
  readonly batchCount: number;
  readonly payload: Uint8Array;
}

/** Search range for the first frame of a file with a damaged header: no header is longer. */
const HEADER_BYTES_MAX = 2 ** 20;

/**
 * Undefined if the header is damaged and no frame follows: a crash interrupted the creation of the file.
 * Throws STORE_CORRUPT, STORE_TOO_NEW.
 */
export function scanJournal(bytes: Uint8Array, name: string): JournalScan | undefined {
  const header = headerOf(bytes, name);
  if (header === undefined) {
    if (holdsFrames(bytes)) throw new DomainError('STORE_CORRUPT', `expected an intact header of ${name}`);
    return undefined;
  }
  const frames: Frame[] = [];
  let end = header.end;
  for (;;) {
    const frame = frameAt(bytes, end, header.salt, frames.length);
    if (frame === undefined) break;
    frames.push(frame);
    end = frame.end;
  }
  assertTorn(bytes, end, header.salt, name);
  return { ...header, frames, tornBytes: bytes.length - end };
}

export function* batchesOf({ frames }: JournalScan): Generator<JournalBatch> {
  for (const { payload, batchCount } of frames) yield* decodeBatches(payload, batchCount);
}

function headerOf(bytes: Uint8Array, name: string): (JournalHeader & { end: number }) | undefined {
  if (bytes.length < FILE_HEADER_BYTES) return undefined;
  const reader = new ByteReader(bytes.subarray(JOURNAL_MAGIC.length));
  if (!JOURNAL_MAGIC.equals(bytes.subarray(0, JOURNAL_MAGIC.length))) return undefined;
  const version = reader.u32('the version');
  const [salt, number, marksBytes] = [reader.u32('the salt'), reader.u32('the number'), reader.u32('marks')];
  const end = FILE_HEADER_BYTES + marksBytes;
  const marks = bytes.subarray(FILE_HEADER_BYTES, end);
  if (end > bytes.length || !isIntact(bytes, CRC_AT.file, marks)) return undefined;
  if (version !== JOURNAL_VERSION) {
    throw new DomainError('STORE_TOO_NEW', `expected version ${JOURNAL_VERSION} of ${name}, got ${version}`);
  }
  return { number, salt, marks: decodeMarks(marks), end };
}

function frameAt(bytes: Uint8Array, at: number, salt: number, number: number): Frame | undefined {
  if (at + FRAME_HEADER_BYTES > bytes.length) return undefined;
  const header = bytes.subarray(at, at + FRAME_HEADER_BYTES);
  const reader = new ByteReader(header);
  if (reader.u32('the salt') !== salt) return undefined;
  const end = at + FRAME_HEADER_BYTES + reader.u32('the length');
  if (reader.u32('the number') !== number || end > bytes.length) return undefined;
  const payload = bytes.subarray(at + FRAME_HEADER_BYTES, end);
  if (!isIntact(header, CRC_AT.frame, payload)) return undefined;
  return { end, payload, batchCount: reader.u32('batches') };
}

/** Whether an intact first frame follows the damaged header, whose length is unknown. */
function holdsFrames(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const last = Math.min(HEADER_BYTES_MAX, bytes.length - FRAME_HEADER_BYTES);
  for (let at = FILE_HEADER_BYTES; at <= last; at++) {
    if (view.getUint32(at + 8, true) === 0 && frameAt(bytes, at, view.getUint32(at, true), 0) !== undefined)
      return true;
  }
  return false;
}

/** Throws STORE_CORRUPT if an intact frame of any number follows after `from`. */
function assertTorn(bytes: Uint8Array, from: number, salt: number, name: string): void {
  const needle = Buffer.alloc(4);
  needle.writeUInt32LE(salt);
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = view.indexOf(needle, from); at !== -1; at = view.indexOf(needle, at + 1)) {
    if (at + FRAME_HEADER_BYTES > bytes.length) return;
    const number = view.readUInt32LE(at + 8);
    if (frameAt(bytes, at, salt, number) === undefined) continue;
    throw new DomainError('STORE_CORRUPT', `expected an intact frame at byte ${from} of ${name}`);
  }
}
