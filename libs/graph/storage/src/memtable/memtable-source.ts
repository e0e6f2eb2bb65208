import type { RecordSource, VersionedRecord } from '../store/records.ts';
import type { Memtable } from './memtable.ts';

/** Sorted in one go: a few milliseconds at most. The merge brings the runs together. */
const RUN_ENTRIES = 8192;
const CHUNK_RECORDS = 256;

/** Sources over collected entries, each sorted; other work goes on between the runs. */
export async function memtableSources(memtable: Memtable, entries: Uint32Array): Promise<RecordSource[]> {
  const sources: RecordSource[] = [];
  for (let at = 0; at < entries.length; at += RUN_ENTRIES) {
    const run = entries.subarray(at, at + RUN_ENTRIES).sort((a, b) => memtable.compare(a, b));
    sources.push(new RunSource(memtable, run));
    await new Promise(setImmediate);
  }
  return sources;
}

class RunSource implements RecordSource {
  readonly #memtable: Memtable;
  readonly #run: Uint32Array;
  #at = 0;

  constructor(memtable: Memtable, run: Uint32Array) {
    this.#memtable = memtable;
    this.#run = run;
  }

  next(): Promise<readonly VersionedRecord[] | undefined> {
    if (this.#at >= this.#run.length) return Promise.resolve(undefined);
    const entries = this.#run.subarray(this.#at, this.#at + CHUNK_RECORDS);
    this.#at += CHUNK_RECORDS;
    return Promise.resolve(Array.from(entries, (entry) => this.#memtable.record(entry)));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
