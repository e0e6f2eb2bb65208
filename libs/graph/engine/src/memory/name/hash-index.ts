/**
 * From a 32-bit hash to numbers (ADR 0226), never changed once made, in little more than 4 bytes an entry. It
 * holds no keys: its owner verifies what it finds. On the *hot path* of look-ups.
 *
 *   starts    u32 a bucket, and the end: where its entries begin; the first bits of a hash are its bucket
 *   entries   u32, ascending within a bucket: the bits of the hash after those of the bucket, as many as have
 *             room, and in the lowest `numberBits` the number
 *
 * A bucket has 8 to 16 entries where hashes are well mixed: one or two lines of a cache. Where there is an
 * entry for each number, an index knows the first 28 bits of each hash, however many there are: so the next
 * one is made of it.
 */
import type { BufferBag } from '../array/buffer-bag.ts';

const ENTRY_BITS = 32;
/** 2 ** 4 entries a bucket, at most, on average. */
const BUCKET_ENTRY_BITS = 4;
const NUMBER_BITS_MIN = BUCKET_ENTRY_BITS + 1;

/** Numbers of parts in a bag. */
export interface HashIndexMeta {
  readonly starts: number;
  readonly entries: number;
  readonly numberBits: number;
}

/** Entries to be, side by side. */
export interface HashedNumbers {
  readonly hashes: Uint32Array;
  /** By entry; undefined: an entry is its number. */
  readonly numbers?: Uint32Array;
  /** One past the greatest number. */
  readonly bound: number;
}

export class HashIndex {
  readonly #starts: Uint32Array;
  readonly #entries: Uint32Array;
  readonly #numberBits: number;
  readonly #numberMask: number;
  readonly #bucketShift: number;
  readonly #restShift: number;

  constructor({ starts, entries, numberBits }: HashIndexMeta, bag: BufferBag) {
    this.#starts = bag.asUint32(starts);
    this.#entries = bag.asUint32(entries);
    this.#numberBits = numberBits;
    this.#numberMask = (1 << numberBits) - 1;
    const bucketBits = bitsFor(this.#starts.length - 1);
    this.#bucketShift = ENTRY_BITS - bucketBits;
    this.#restShift = Math.max(0, numberBits - bucketBits);
  }

  /** Where the entries begin that may have the hash; they follow one another. */
  first(hash: number): number {
    const wanted = this.#least(hash) >>> 0;
    const bucket = hash >>> this.#bucketShift;
    let low = this.#starts[bucket]!;
    let high = this.#starts[bucket + 1]!;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#entries[middle]! < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of an entry that may have the hash; −1 behind the last of them. */
  at(place: number, hash: number): number {
    if (place >= this.#starts[(hash >>> this.#bucketShift) + 1]!) return -1;
    const entry = this.#entries[place]!;
    return (entry ^ this.#least(hash)) >>> this.#numberBits === 0 ? entry & this.#numberMask : -1;
  }

  /** What is known of each number's hash, its last bits zero; there is an entry for each. */
  hashes(): Uint32Array {
    const hashes = new Uint32Array(this.#entries.length);
    const mask = this.#numberMask;
    for (let bucket = 0; bucket + 1 < this.#starts.length; bucket++) {
      for (let at = this.#starts[bucket]!; at < this.#starts[bucket + 1]!; at++) {
        const entry = this.#entries[at]!;
        const rest = (entry >>> this.#numberBits) << this.#restShift;
        hashes[entry & mask] = (bucket << this.#bucketShift) | rest;
      }
    }
    return hashes;
  }

  /** The least entry of a hash. */
  #least(hash: number): number {
    return restOf(hash, this.#bucketShift, this.#restShift) << this.#numberBits;
  }
}

/** Makes an index in the bag. */
export function buildHashIndex(bag: BufferBag, { hashes, numbers, bound }: HashedNumbers): HashIndexMeta {
  const numberBits = Math.max(NUMBER_BITS_MIN, bitsFor(bound));
  const bucketBits = Math.max(1, bitsFor(hashes.length) - BUCKET_ENTRY_BITS);
  const bucketShift = ENTRY_BITS - bucketBits;
  const restShift = Math.max(0, numberBits - bucketBits);
  const starts = bag.uint32(2 ** bucketBits + 1);
  const startsPart = bag.last;
  for (let at = 0; at < hashes.length; at++) starts[(hashes[at]! >>> bucketShift) + 1]!++;
  for (let bucket = 0; bucket + 1 < starts.length; bucket++) starts[bucket + 1]! += starts[bucket]!;
  const entries = bag.uint32(hashes.length);
  const next = starts.slice();
  for (let at = 0; at < hashes.length; at++) {
    const hash = hashes[at]!;
    const rest = restOf(hash, bucketShift, restShift) << numberBits;
    entries[next[hash >>> bucketShift]!++] = rest | (numbers === undefined ? at : numbers[at]!);
  }
  for (let bucket = 0; bucket + 1 < starts.length; bucket++)
    entries.subarray(starts[bucket], starts[bucket + 1]).sort();
  return { starts: startsPart, entries: bag.last, numberBits };
}

/** The bits of a hash after those of its bucket, without the last ones that have no room. */
function restOf(hash: number, bucketShift: number, restShift: number): number {
  return (hash & ((1 << bucketShift) - 1)) >>> restShift;
}

/** Of numbers below `bound`. */
function bitsFor(bound: number): number {
  return bound <= 1 ? 0 : ENTRY_BITS - Math.clz32(bound - 1);
}
