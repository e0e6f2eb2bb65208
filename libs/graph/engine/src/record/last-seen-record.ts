import { RecordReader } from './record-reader.ts';
import { RecordWriter } from './record-writer.ts';
import { readOwners, writeOwners } from './record-prefix.ts';

/**
 * The changes of a record seen again with the same content: f64 last_seen_at in ms, then the owners as in a
 * prefix. It applies to its record unless that was written later.
 */
export interface LastSeen {
  readonly lastSeenAtMs: number;
  readonly owners: readonly string[];
}

export function encodeLastSeen(lastSeen: LastSeen): Uint8Array {
  const into = new RecordWriter().f64(lastSeen.lastSeenAtMs);
  writeOwners(into, lastSeen.owners);
  return into.copy();
}

export function decodeLastSeen(value: Uint8Array): LastSeen {
  const reader = new RecordReader(value);
  return { lastSeenAtMs: reader.f64(), owners: readOwners(reader) };
}
