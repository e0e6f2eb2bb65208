/**
 * Joins records with the sightings beside them: both come in key order, since a sighting's key is its
 * record's key behind one byte. A sighting older than its record says nothing any more.
 */
import type { ScanOptions, Store, StoredRecord } from '#graph/storage';
import { decodeLastSeen, type LastSeen } from '../record/last-seen-record.ts';
import { RECORD_KIND } from '../record/record-key.ts';

/** A record, a sighting of a record that did not change, or both. */
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

/** Orders a sighting against a record's key; past its end a sighting comes after everything. */
function compare(sighting: StoredRecord | undefined, key: Uint8Array): number {
  return sighting === undefined ? 1 : Buffer.compare(sighting.key.subarray(1), key);
}

/** Walks a scan record by record, waiting only between its chunks. */
class RecordCursor {
  readonly #chunks: AsyncIterator<readonly StoredRecord[]>;
  #chunk: readonly StoredRecord[] = [];
  #at = 0;

  constructor(scan: AsyncIterable<readonly StoredRecord[]>) {
    this.#chunks = scan[Symbol.asyncIterator]();
  }

  /** The record at hand, once {@link ready} was awaited; undefined at the end. */
  get current(): StoredRecord | undefined {
    return this.#chunk[this.#at];
  }

  /** Steps on. Gives false when {@link ready} has to be awaited before `current` is read. */
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
