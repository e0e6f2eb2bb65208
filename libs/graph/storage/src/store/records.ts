/** How records travel inside the library: in sorted chunks, pulled. */
import type { StoredRecord } from './storage.port.ts';

export interface VersionedRecord extends StoredRecord {
  /** Unix epoch; 0 unless the record is deleted. */
  readonly purgeAtMs: number;
}

/** Gives records in key order, a chunk at a time, each key once; undefined at the end. */
export interface RecordSource {
  next(): Promise<readonly VersionedRecord[] | undefined>;
  /** Once. */
  close(): Promise<void>;
}
