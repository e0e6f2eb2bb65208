/**
 * What the log holds, findable. The bytes are the log's own (arena chunks); here are only positions.
 *
 * Batches are taken in as ranges of bytes, at no cost for each record; records are indexed later, in
 * slices, while a sync runs or when somebody asks. A bulk load that nobody reads back is never indexed: the
 * flush reads the files. Its bytes need not stay in memory either: a range that is not indexed may be left
 * to the log, and is read back when somebody asks.
 *
 * Entries are appended and never changed, so a scan that has collected entry numbers has a snapshot. A hash
 * table (open addressing, linear probing) leads to the newest entry of each key; the one before is marked
 * superseded.
 *
 * *Hot path*: parallel typed arrays, no object for a record.
 */
import type { RecordSource, VersionedRecord } from '../store/records.ts';
import { visitOperation, type RecordSpan } from '../wal/operation.ts';
import { EntryTable } from './entry-table.ts';

const ASYNC_SLICE_MS = 4;

/** The operations of one batch. */
export interface BatchRange {
  /** Undefined while they stand in the log only. */
  chunk: Uint8Array | undefined;
  /** Gives what was the chunk. */
  read: (() => Promise<Uint8Array>) | undefined;
  readonly end: number;
  readonly seq: number;
  /** Where indexing goes on. */
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

  /** Takes the operations in `chunk[start, end)`; the bytes must not change while they are here. */
  add(chunk: Uint8Array, start: number, end: number, seq: number): BatchRange {
    const range = { chunk, read: undefined, at: start, end, seq, isBegun: false };
    this.#unindexed.push(range);
    this.#bytes += end - start;
    this.#lastSeq = seq;
    return range;
  }

  /**
   * Lets go of the bytes of a range, which `read` gives again. Gives false, and keeps them, when indexing has
   * begun.
   */
  leaveToLog(range: BatchRange, read: () => Promise<Uint8Array>): boolean {
    if (range.isBegun) return false;
    range.chunk = undefined;
    range.read = read;
    return true;
  }

  /** Bytes of operations. */
  get bytes(): number {
    return this.#bytes;
  }

  /** 0 while it is empty. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /** Indexes for about `budgetMs` what is in memory; gives whether all is indexed. */
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

  /** Indexes everything, with other work in between. Nothing is left unindexed when it resolves. */
  async indexAll(): Promise<void> {
    while (!this.indexSome(ASYNC_SLICE_MS)) {
      await this.readBack();
      await new Promise(setImmediate);
    }
  }

  /** Reads what was left to the log; its files must not be removed meanwhile. */
  async readBack(): Promise<void> {
    this.#reading ??= this.#readBack().finally(() => (this.#reading = undefined));
    await this.#reading;
  }

  /** The newest version. All must be indexed. */
  get(key: Uint8Array): VersionedRecord | undefined {
    const entry = this.#entries.find(key);
    return entry === -1 ? undefined : this.record(entry);
  }

  /** The newest entry of each key that starts with `prefix` and is later than `sinceSeq`; unsorted. */
  collect(prefix: Uint8Array, sinceSeq: number): Uint32Array {
    const found = new Uint32Array(this.#entries.count);
    let count = 0;
    for (let entry = 0; entry < this.#entries.count; entry++) {
      if (this.#entries.isSuperseded(entry) || this.#entries.seqOf(entry) <= sinceSeq) continue;
      if (prefix.length > 0 && !this.#entries.keyStartsWith(entry, prefix)) continue;
      found[count++] = entry;
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
