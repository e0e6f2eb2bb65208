/**
 * The operations of a batch, as bytes. All integers are little-endian.
 *
 *   put        1 | u16 key length | u32 value length | key | value
 *   delete     2 | u16 key length | u32 value length | u64 purge at, ms since 1970 | key | value
 *   putShared  3 | u32 number of keys | u32 value length | value | per key: u16 length, key
 *
 * *Hot path*: decoding walks positions and allocates no objects; the bytes have already been verified.
 */
import { unreachable } from '#platform/foundation';
import { getU16, getU32, getU64 } from '../encoding/integers.ts';
import type { LogOperation } from '../store/storage.port.ts';

export const PUT = 1;
export const DELETE = 2;
export const PUT_SHARED = 3;

export const PUT_HEADER_BYTES = 7;
export const DELETE_HEADER_BYTES = 15;
export const PUT_SHARED_HEADER_BYTES = 9;
export const SHARED_KEY_HEADER_BYTES = 2;

/** The position of a record's bytes. One object is reused for all records. */
export interface RecordSpan {
  keyStart: number;
  keyEnd: number;
  valueStart: number;
  valueEnd: number;
  isDeleted: boolean;
  purgeAtMs: number;
}

/** Calls `visit` for each record of the operation at `at`; returns the position of the next operation. */
export function visitOperation(bytes: Uint8Array, at: number, visit: (span: RecordSpan) => void): number {
  const kind = bytes[at];
  if (kind === PUT) return visitPut(bytes, at, visit);
  if (kind === DELETE) return visitDelete(bytes, at, visit);
  if (kind === PUT_SHARED) return visitShared(bytes, at, visit);
  return unreachable(kind as never);
}

const span: RecordSpan = {
  keyStart: 0,
  keyEnd: 0,
  valueStart: 0,
  valueEnd: 0,
  isDeleted: false,
  purgeAtMs: 0,
};

function visitPut(bytes: Uint8Array, at: number, visit: (span: RecordSpan) => void): number {
  span.keyStart = at + PUT_HEADER_BYTES;
  span.keyEnd = span.valueStart = span.keyStart + getU16(bytes, at + 1);
  span.valueEnd = span.valueStart + getU32(bytes, at + 3);
  span.isDeleted = false;
  span.purgeAtMs = 0;
  visit(span);
  return span.valueEnd;
}

function visitDelete(bytes: Uint8Array, at: number, visit: (span: RecordSpan) => void): number {
  span.keyStart = at + DELETE_HEADER_BYTES;
  span.keyEnd = span.valueStart = span.keyStart + getU16(bytes, at + 1);
  span.valueEnd = span.valueStart + getU32(bytes, at + 3);
  span.isDeleted = true;
  span.purgeAtMs = getU64(bytes, at + 7);
  visit(span);
  return span.valueEnd;
}

function visitShared(bytes: Uint8Array, at: number, visit: (span: RecordSpan) => void): number {
  const keys = getU32(bytes, at + 1);
  span.valueStart = at + PUT_SHARED_HEADER_BYTES;
  span.valueEnd = span.valueStart + getU32(bytes, at + 5);
  span.isDeleted = false;
  span.purgeAtMs = 0;
  let next = span.valueEnd;
  for (let i = 0; i < keys; i++) {
    span.keyStart = next + SHARED_KEY_HEADER_BYTES;
    span.keyEnd = next = span.keyStart + getU16(bytes, next);
    visit(span);
  }
  return next;
}

/** The operations in `bytes[start, end)`. */
export function* decodeOperations(bytes: Uint8Array, start: number, end: number): Generator<LogOperation> {
  for (let at = start; at < end;) {
    const records: LogOperation[] = [];
    const next = visitOperation(bytes, at, (span) => {
      const key = bytes.subarray(span.keyStart, span.keyEnd);
      const value = bytes.subarray(span.valueStart, span.valueEnd);
      if (span.isDeleted) records.push({ kind: 'delete', key, value, purgeAtMs: span.purgeAtMs });
      else records.push({ kind: 'put', key, value });
    });
    if (bytes[at] === PUT_SHARED) yield shared(bytes, at, records);
    else yield* records;
    at = next;
  }
}

function shared(bytes: Uint8Array, at: number, records: readonly LogOperation[]): LogOperation {
  const valueStart = at + PUT_SHARED_HEADER_BYTES;
  const value = bytes.subarray(valueStart, valueStart + getU32(bytes, at + 5));
  const keys = records.flatMap((record) => (record.kind === 'putShared' ? [] : [record.key]));
  return { kind: 'putShared', keys, value };
}
