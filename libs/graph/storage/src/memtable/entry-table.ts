/**
 * The positions of records as parallel typed arrays, and a hash table over their keys.
 *
 * *Hot path*: filled once for every record written. Keys are hashed with FNV-1a; equal hashes are verified by
 * a comparison of the bytes.
 */
import { compareBytes } from '../encoding/byte-order.ts';
import type { KeyRange, VersionedRecord } from '../store/records.ts';
import type { RecordSpan } from '../wal/operation.ts';

const INITIAL_ENTRIES = 256;
const SLOTS_PER_ENTRY = 2;
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

const DELETED = 1;
const SUPERSEDED = 2;

export class EntryTable {
  #count = 0;
  #chunk = new Uint32Array(INITIAL_ENTRIES);
  #keyStart = new Uint32Array(INITIAL_ENTRIES);
  #keyEnd = new Uint32Array(INITIAL_ENTRIES);
  #valueStart = new Uint32Array(INITIAL_ENTRIES);
  #valueEnd = new Uint32Array(INITIAL_ENTRIES);
  #hash = new Int32Array(INITIAL_ENTRIES);
  #seq = new Float64Array(INITIAL_ENTRIES);
  #flags = new Uint8Array(INITIAL_ENTRIES);
  #slots = new Int32Array(INITIAL_ENTRIES * SLOTS_PER_ENTRY);
  /** Few entries are deleted. */
  readonly #purgeAtMs = new Map<number, number>();
  #chunkBytes: readonly Uint8Array[] = [];

  get count(): number {
    return this.#count;
  }

  /** Adds the newest version of a key, in the newest of `chunks`. */
  add(chunks: readonly Uint8Array[], span: RecordSpan, seq: number): void {
    if (this.#count === this.#chunk.length) this.#grow();
    this.#chunkBytes = chunks;
    const entry = this.#count++;
    const bytes = chunks[chunks.length - 1]!;
    this.#chunk[entry] = chunks.length - 1;
    this.#keyStart[entry] = span.keyStart;
    this.#keyEnd[entry] = span.keyEnd;
    this.#valueStart[entry] = span.valueStart;
    this.#valueEnd[entry] = span.valueEnd;
    this.#seq[entry] = seq;
    this.#flags[entry] = span.isDeleted ? DELETED : 0;
    if (span.isDeleted) this.#purgeAtMs.set(entry, span.purgeAtMs);
    const hash = hashOf(bytes, span.keyStart, span.keyEnd);
    this.#hash[entry] = hash;
    const slot = this.#slotOf(bytes, span.keyStart, span.keyEnd, hash);
    const before = this.#slots[slot]! - 1;
    if (before !== -1) this.#flags[before]! |= SUPERSEDED;
    this.#slots[slot] = entry + 1;
  }

  /** The newest entry of `key`, or −1. */
  find(key: Uint8Array): number {
    const hash = hashOf(key, 0, key.length);
    return this.#slots[this.#slotOf(key, 0, key.length, hash)]! - 1;
  }

  isSuperseded(entry: number): boolean {
    return (this.#flags[entry]! & SUPERSEDED) !== 0;
  }

  /** The first entry that is later than a batch: entries are in the order of batches. */
  firstAfter(seq: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seq[middle]! <= seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  isWithin(entry: number, { prefix, from, before }: KeyRange): boolean {
    if (!this.#keyStartsWith(entry, prefix)) return false;
    if (from === undefined && before === undefined) return true;
    const key = this.#key(entry);
    return (
      (from === undefined || compareBytes(key, from) >= 0) &&
      (before === undefined || compareBytes(key, before) < 0)
    );
  }

  #keyStartsWith(entry: number, prefix: Uint8Array): boolean {
    const start = this.#keyStart[entry]!;
    if (this.#keyEnd[entry]! - start < prefix.length) return false;
    const bytes = this.#chunkBytes[this.#chunk[entry]!]!;
    for (let i = 0; i < prefix.length; i++) {
      if (bytes[start + i] !== prefix[i]) return false;
    }
    return true;
  }

  /** Compares two entries by key. */
  compare(a: number, b: number): number {
    const bytesA = this.#chunkBytes[this.#chunk[a]!]!;
    const bytesB = this.#chunkBytes[this.#chunk[b]!]!;
    const startA = this.#keyStart[a]!;
    const startB = this.#keyStart[b]!;
    const lengthA = this.#keyEnd[a]! - startA;
    const lengthB = this.#keyEnd[b]! - startB;
    const shorter = lengthA < lengthB ? lengthA : lengthB;
    for (let i = 0; i < shorter; i++) {
      const difference = bytesA[startA + i]! - bytesB[startB + i]!;
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  record(entry: number): VersionedRecord {
    const bytes = this.#chunkBytes[this.#chunk[entry]!]!;
    return {
      key: this.#key(entry),
      value: bytes.subarray(this.#valueStart[entry], this.#valueEnd[entry]),
      seq: this.#seq[entry]!,
      isDeleted: (this.#flags[entry]! & DELETED) !== 0,
      purgeAtMs: this.#purgeAtMs.get(entry) ?? 0,
    };
  }

  #key(entry: number): Uint8Array {
    return this.#chunkBytes[this.#chunk[entry]!]!.subarray(this.#keyStart[entry], this.#keyEnd[entry]);
  }

  /** The slot that holds the key, or the empty slot for it. */
  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#slots[slot]! - 1;
      if (entry === -1) return slot;
      if (this.#hash[entry] === hash && this.#hasKey(entry, bytes, start, end)) return slot;
    }
  }

  #hasKey(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#keyStart[entry]!;
    if (this.#keyEnd[entry]! - from !== end - start) return false;
    const own = this.#chunkBytes[this.#chunk[entry]!]!;
    for (let i = 0; i < end - start; i++) {
      if (own[from + i] !== bytes[start + i]) return false;
    }
    return true;
  }

  #grow(): void {
    const capacity = this.#count * 2;
    this.#chunk = copied(new Uint32Array(capacity), this.#chunk);
    this.#keyStart = copied(new Uint32Array(capacity), this.#keyStart);
    this.#keyEnd = copied(new Uint32Array(capacity), this.#keyEnd);
    this.#valueStart = copied(new Uint32Array(capacity), this.#valueStart);
    this.#valueEnd = copied(new Uint32Array(capacity), this.#valueEnd);
    this.#hash = copied(new Int32Array(capacity), this.#hash);
    this.#seq = copied(new Float64Array(capacity), this.#seq);
    this.#flags = copied(new Uint8Array(capacity), this.#flags);
    this.#rehash(capacity * SLOTS_PER_ENTRY);
  }

  /** Superseded entries are not inserted again. */
  #rehash(slots: number): void {
    this.#slots = new Int32Array(slots);
    const mask = slots - 1;
    for (let entry = 0; entry < this.#count; entry++) {
      if (this.isSuperseded(entry)) continue;
      let slot = this.#hash[entry]! & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry + 1;
    }
  }
}

function copied<A extends { set(from: A): void }>(into: A, from: A): A {
  into.set(from);
  return into;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = FNV_OFFSET;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, FNV_PRIME);
  return hash ^ (hash >>> 15);
}
