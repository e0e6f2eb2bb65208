/** Records inside the library: sorted chunks, pulled by the reader. */
import { compareBytes, startsWith } from '../encoding/byte-order.ts';
import type { StoredRecord } from './storage.port.ts';

export interface VersionedRecord extends StoredRecord {
  /** Unix epoch; 0 unless the record is deleted. */
  readonly purgeAtMs: number;
}

/** Returns records in key order, one chunk per call, each key once; undefined at the end. */
export interface RecordSource {
  next(): Promise<readonly VersionedRecord[] | undefined>;
  /** Releases the records. Call it once. */
  close(): Promise<void>;
}

/** Keys with a prefix, from one on and before another. */
export interface KeyRange {
  readonly prefix: Uint8Array;
  readonly from?: Uint8Array | undefined;
  readonly before?: Uint8Array | undefined;
}

export function isWithin(key: Uint8Array, { prefix, from, before }: KeyRange): boolean {
  return (
    startsWith(key, prefix) &&
    (from === undefined || compareBytes(key, from) >= 0) &&
    (before === undefined || compareBytes(key, before) < 0)
  );
}
