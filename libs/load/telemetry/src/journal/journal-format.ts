/**
 * The journal format, docs/formats/telemetry-journal.md. Little-endian.
 *
 *   file   8  `PLEXJRN` and a zero
 *          4  format version, 1
 *          4  salt: random for each file
 *          4  file number, as in the file name
 *          4  length m of the marks
 *          4  CRC-32C over the bytes before and the marks
 *          m  marks: for each edge instance with batches in earlier files: u64 last seq, edge
 *          …  frames
 *   frame  4  salt of the file
 *          4  length p of the payload
 *          4  number of the frame in the file, from 0
 *          4  number of batches
 *          4  CRC-32C over the bytes before and the payload
 *          p  payload: for each batch: u64 seq, edge, u32 length of the tables, the tables
 *   edge   u32 length and UTF-8 of the edge id, then of the instance id
 *
 * One group commit writes one frame, after the sync of the previous frame.
 */
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { crc32c } from '../bytes/crc32c.ts';
import type { EdgeInstance } from '../table/table-batch.ts';

export const JOURNAL_VERSION = 1;
export const JOURNAL_MAGIC = Buffer.from('PLEXJRN\0');
const FILE_CRC_AT = 24;
const FRAME_CRC_AT = 16;
export const FILE_HEADER_BYTES = 28;
export const FRAME_HEADER_BYTES = 20;
export const IDENTITY_BYTES_MAX = 1024;

/** A batch as its edge sent it. */
export interface JournalBatch {
  readonly edge: EdgeInstance;
  readonly seq: number;
  readonly tables: Uint8Array;
}

export interface JournalMark {
  readonly edge: EdgeInstance;
  readonly seq: number;
}

export interface JournalHeader {
  readonly number: number;
  readonly salt: number;
  readonly marks: readonly JournalMark[];
}

export function encodeHeader({ number, salt, marks }: JournalHeader): Uint8Array {
  const out = new ByteWriter();
  out.bytes(JOURNAL_MAGIC);
  for (const field of [JOURNAL_VERSION, salt, number, 0, 0]) out.u32(field);
  for (const { edge, seq } of marks) {
    out.u64(seq);
    writeEdge(out, edge);
  }
  const bytes = out.written();
  out.setU32(FILE_CRC_AT - 4, bytes.length - FILE_HEADER_BYTES);
  out.setU32(FILE_CRC_AT, crc32c(bytes.subarray(0, FILE_CRC_AT), bytes.subarray(FILE_HEADER_BYTES)));
  return bytes;
}

/** Resets `out` and writes the frame to it. Returns a view. */
export function encodeFrame(
  out: ByteWriter,
  batches: readonly JournalBatch[],
  { salt, number }: { readonly salt: number; readonly number: number },
): Uint8Array {
  out.reset();
  for (const field of [salt, 0, number, batches.length, 0]) out.u32(field);
  for (const { seq, edge, tables } of batches) {
    out.u64(seq);
    writeEdge(out, edge);
    out.u32(tables.length);
    out.bytes(tables);
  }
  const bytes = out.written();
  out.setU32(4, bytes.length - FRAME_HEADER_BYTES);
  out.setU32(FRAME_CRC_AT, crc32c(bytes.subarray(0, FRAME_CRC_AT), bytes.subarray(FRAME_HEADER_BYTES)));
  return bytes;
}

/** Decodes the marks of an intact header. */
export function decodeMarks(bytes: Uint8Array): readonly JournalMark[] {
  const reader = new ByteReader(bytes);
  const marks: JournalMark[] = [];
  while (!reader.isAtEnd) {
    const seq = reader.u64('a seq');
    marks.push({ seq, edge: readEdge(reader) });
  }
  return marks;
}

/** Decodes the payload of an intact frame. The `tables` of the batches are views of the payload. */
export function decodeBatches(payload: Uint8Array, count: number): readonly JournalBatch[] {
  const reader = new ByteReader(payload);
  return Array.from({ length: count }, () => {
    const seq = reader.u64('a seq');
    const edge = readEdge(reader);
    const length = reader.countUpTo(payload.length, 'bytes of tables');
    return { seq, edge, tables: reader.bytes(length, 'tables') };
  });
}

/** Verifies the checksum of a header and its payload; `crcAt` is the checksum's offset in the header. */
export function isIntact(header: Uint8Array, crcAt: number, payload: Uint8Array): boolean {
  const checksum = new DataView(header.buffer, header.byteOffset).getUint32(crcAt, true);
  return crc32c(header.subarray(0, crcAt), payload) === checksum;
}

export const CRC_AT = { file: FILE_CRC_AT, frame: FRAME_CRC_AT } as const;

function writeEdge(out: ByteWriter, { edgeId, instanceId }: EdgeInstance): void {
  for (const text of [edgeId, instanceId]) {
    const bytes = Buffer.from(text);
    out.u32(bytes.length);
    out.bytes(bytes);
  }
}

function readEdge(reader: ByteReader): EdgeInstance {
  return { edgeId: readText(reader), instanceId: readText(reader) };
}

function readText(reader: ByteReader): string {
  const length = reader.countUpTo(IDENTITY_BYTES_MAX, 'bytes of an id');
  return Buffer.from(reader.bytes(length, 'an id')).toString('utf8');
}
