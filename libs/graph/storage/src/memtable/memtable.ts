/**
 * An index over the records of the log. The bytes are those of the log (arena chunks); the memtable holds
 * positions only.
 *
 * Batches are added as byte ranges, without cost per record; records are indexed later, in slices, during a
 * sync or on the first read. A bulk load that is never read is never indexed: the flush reads the files. Its
 * bytes need not stay in memory either: a range that is not indexed may be left to the log, and is read back
 * on the first read.
 *
 * Entries are appended and never changed, so the entry numbers collected by a scan are a snapshot. A hash
 * table (open addressing, linear probing) maps each key to its newest entry; the previous entry is marked
 * superseded.
 *
 * *Hot path*: parallel typed arrays, no object per record.
 */
import type { KeyRange, RecordSource, VersionedRecord } from '../store/records.ts';
import { visitOperation, type RecordSpan } from '../wal/operation.ts';
import { EntryTable } from './entry-table.ts';

const ASYNC_SLICE_MS = 4;

/** The operations of one batch. */
export interface BatchRange {
  /** Undefined while the bytes are only in the log. */
  chunk: Uint8Array | undefined;
  /** Reads the chunk back from the log. */
  read: (() => Promise<Uint8Array>) | undefined;
  readonly end: number;
  readonly seq: number;
  /** Position in the batch at which indexing continues. */
  at: number;
  /** Whether entries may point into the chunk. */
  isBegun: boolean;
}

export class Memtable {
  readonly #entries = new EntryTable();
  readonly #chunks: Uint8Array[] = [];
  #unindexed: BatchRange[] = [];
  #indexed = 0;
  #bytes = 0;
  #lastSeq = 0;
  #current: BatchRange | undefined;
  #reading: Promise<void> | undefined;
  readonly #visit = (span: RecordSpan): void => {
    this.#entries.add(this.#chunks, span, this.#current?.seq ?? 0);
  };

  /** Adds the operations in `chunk[start, end)`; the bytes must not change while the memtable uses them. */
  add(chunk: Uint8Array, start: number, end: number, seq: number): BatchRange {
    const range = { chunk, read: undefined, at: start, end, seq, isBegun: false };
    this.#unindexed.push(range);
    this.#bytes += end - start;
    this.#lastSeq = seq;
    return range;
  }

  /**
   * Releases the bytes of a range, which `read` returns again. Returns false, and keeps the bytes, if
   * indexing has begun.
   */
  leaveToLog(range: BatchRange, read: () => Promise<Uint8Array>): boolean {
    if (range.isBegun) return false;
    range.chunk = undefined;
    range.read = read;
    return true;
  }

  /** Number of bytes of all operations. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Sequence number of the last batch; 0 while there is none. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Indexes records in memory for about `budgetMs`; returns whether all are indexed. */
  indexSome(budgetMs: number): boolean {
    const deadline = performance.now() + budgetMs;
    while (this.#indexed < this.#unindexed.length) {
      const range = this.#unindexed[this.#indexed]!;
      if (!this.#indexRange(range, deadline)) return false;
      this.#indexed++;
    }
    this.#unindexed = [];
    this.#indexed = 0;
    return true;
  }

  /** Indexes everything, yielding in between. All records are indexed when it resolves. */
  async indexAll(): Promise<void> {
    while (!this.indexSome(ASYNC_SLICE_MS)) {
      await this.readBack();
      await new Promise(setImmediate);
    }
  }

  /** Reads the ranges that were left to the log; its files must not be removed meanwhile. */
  async readBack(): Promise<void> {
    this.#reading ??= this.#readBack().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  /** The newest version of a key. All records must be indexed. */
  get(key: Uint8Array): VersionedRecord | undefined {
    const entry = this.#entries.find(key);
    return entry === -1 ? undefined : this.record(entry);
  }

  /** The newest entry of each key of the range that is later than `sinceSeq`; unsorted. */
  collect(range: KeyRange, sinceSeq: number): Uint32Array {
    const first = this.#entries.firstAfter(sinceSeq);
    const found = new Uint32Array(this.#entries.count - first);
    let count = 0;
    for (let entry = first; entry < this.#entries.count; entry++) {
      if (!this.#entries.isSuperseded(entry) && this.#entries.isWithin(entry, range)) found[count++] = entry;
    }
    return found.slice(0, count);
  }

  compare(a: number, b: number): number {
    return this.#entries.compare(a, b);
  }

  record(entry: number): VersionedRecord {
    return this.#entries.record(entry);
  }

  async #readBack(): Promise<void> {
    for (const range of this.#unindexed.slice(this.#indexed)) {
      if (range.read === undefined) continue;
      range.chunk = await range.read();
      range.read = undefined;
    }
  }

  #indexRange(range: BatchRange, deadline: number): boolean {
    const { chunk } = range;
    if (chunk === undefined) return false;
    if (this.#chunks.at(-1) !== chunk) this.#chunks.push(chunk);
    this.#current = range;
    range.isBegun = true;
    let untilCheck = 64;
    while (range.at < range.end) {
      range.at = visitOperation(chunk, range.at, this.#visit);
      if (--untilCheck > 0) continue;
      if (performance.now() > deadline) return range.at >= range.end;
      untilCheck = 64;
    }
    return true;
  }
}

/** The newest record of a key; the memtables are from the newest one on. */
export async function findInMemory(
  memtables: readonly Memtable[],
  key: Uint8Array,
): Promise<VersionedRecord | undefined> {
  for (const memtable of memtables) {
    await memtable.indexAll();
    const record = memtable.get(key);
    if (record !== undefined) return record;
  }
  return undefined;
}

/** Number of entries sorted at once: a few milliseconds at most. The merge combines the runs. */
const RUN_ENTRIES = 8192;

const CHUNK_RECORDS = 256;

/** Sorted sources over collected entries; yields between the runs. */
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
