/**
 * Joins records with their last-seen records: both are read in key order, since a last-seen key is the
 * record's key after one byte. A last-seen record older than its record is obsolete.
 */
import type { ScanOptions, Store, StoredRecord } from '#graph/storage';
import { decodeLastSeen, type LastSeen } from '../record/last-seen-record.ts';
import { RECORD_KIND } from '../record/record-key.ts';

/** A record, a last-seen record of an unchanged record, or both. */
export interface MergedRecord {
  /** The key of the entity or relationship record. */
  readonly key: Uint8Array;
  readonly record: StoredRecord | undefined;
  readonly lastSeen: LastSeen | undefined;
}

export async function* mergedRecords(
  storage: Store,
  kind: number,
  options: ScanOptions,
): AsyncIterableIterator<readonly MergedRecord[]> {
  const prefix = Uint8Array.of(RECORD_KIND.lastSeen, kind);
  const sightings = new RecordCursor(storage.scan(prefix, { ...options, includeDeleted: false }));
  await sightings.ready();
  for await (const chunk of storage.scan(Uint8Array.of(kind), options)) {
    const merged: MergedRecord[] = [];
    for (const record of chunk) {
      while (compare(sightings.current, record.key) < 0) {
        merged.push(lone(sightings.current));
        if (!sightings.next()) await sightings.ready();
      }
      const hasSighting = compare(sightings.current, record.key) === 0;
      const lastSeen = hasSighting ? newerThan(record, sightings.current) : undefined;
      if (hasSighting && !sightings.next()) await sightings.ready();
      merged.push({ key: record.key, record, lastSeen });
    }
    yield merged;
  }
  yield* rest(sightings);
}

async function* rest(sightings: RecordCursor): AsyncIterableIterator<readonly MergedRecord[]> {
  while (sightings.current !== undefined) {
    yield [lone(sightings.current)];
    if (!sightings.next()) await sightings.ready();
  }
}

function lone(sighting: StoredRecord | undefined): MergedRecord {
  const { key, value } = sighting ?? { key: new Uint8Array(0), value: new Uint8Array(0) };
  return { key: key.subarray(1), record: undefined, lastSeen: decodeLastSeen(value) };
}

function newerThan(record: StoredRecord, sighting: StoredRecord | undefined): LastSeen | undefined {
  return sighting !== undefined && sighting.seq > record.seq ? decodeLastSeen(sighting.value) : undefined;
}

/** Compares a last-seen record with a record's key; at the end of the scan it is greater than all keys. */
function compare(sighting: StoredRecord | undefined, key: Uint8Array): number {
  return sighting === undefined ? 1 : Buffer.compare(sighting.key.subarray(1), key);
}

/** Iterates over a scan record by record, and waits only between chunks. */
class RecordCursor {
  readonly #chunks: AsyncIterator<readonly StoredRecord[]>;
  #chunk: readonly StoredRecord[] = [];
  #at = 0;

  constructor(scan: AsyncIterable<readonly StoredRecord[]>) {
    this.#chunks = scan[Symbol.asyncIterator]();
  }

  /** The current record, after {@link ready} was awaited; undefined at the end. */
  get current(): StoredRecord | undefined {
    return this.#chunk[this.#at];
  }

  /** Advances. Returns false if {@link ready} must be awaited before `current` is read. */
  next(): boolean {
    this.#at++;
    return this.#at < this.#chunk.length;
  }

  async ready(): Promise<void> {
    while (this.#at >= this.#chunk.length) {
      const step = await this.#chunks.next();
      if (step.done === true) return;
      this.#chunk = step.value;
      this.#at = 0;
    }
  }
}
