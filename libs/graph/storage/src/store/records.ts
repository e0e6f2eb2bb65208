/** Records inside the library: sorted chunks, pulled by the reader. */
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
