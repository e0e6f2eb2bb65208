/**
 * An immutable index from 32-bit hashes to numbers, with little more than 4 bytes for each entry. The README
 * of the library has the reasons. It stores no keys: its owner verifies the candidates. On the *hot path* of
 * look-ups.
 *
 *   starts    u32 for each bucket, and the end: position of its first entry; the first bits of a hash select
 *             the bucket
 *   entries   u32, ascending within a bucket: as many further bits of the hash as fit, and the number in the
 *             lowest `numberBits`
 *
 * A bucket has 8 to 16 entries if hashes are uniformly distributed: one or two cache lines. With one entry
 * for each number, an index of any size has the first 28 bits of each hash: the next index is built from it.
 */
import type { BufferBag } from '../array/buffer-bag.ts';

const ENTRY_BITS = 32;
/** On average a bucket has at most 2 ** 4 entries. */
const BUCKET_ENTRY_BITS = 4;
const NUMBER_BITS_MIN = BUCKET_ENTRY_BITS + 1;

/** Part numbers in a bag. */
export interface HashIndexMeta {
  readonly starts: number;
  readonly entries: number;
  readonly numberBits: number;
}

/** The input of an index, as parallel arrays. */
export interface HashedNumbers {
  readonly hashes: Uint32Array;
  /** The number of each entry; undefined: the entry's position. */
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

  /** Position of the first candidate for the hash; candidates are consecutive. */
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

  /** The number of a candidate; −1 after the last one. */
  at(place: number, hash: number): number {
    if (place >= this.#starts[(hash >>> this.#bucketShift) + 1]!) return -1;
    const entry = this.#entries[place]!;
    return (entry ^ this.#least(hash)) >>> this.#numberBits === 0 ? entry & this.#numberMask : -1;
  }

  /** The stored bits of each number's hash, with the last bits zero. Requires one entry for each number. */
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

  /** The lowest possible entry of a hash. */
  #least(hash: number): number {
    return restOf(hash, this.#bucketShift, this.#restShift) << this.#numberBits;
  }
}

/** Builds an index in the bag. */
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

/** The bits of a hash after those of its bucket, without the last bits that do not fit. */
function restOf(hash: number, bucketShift: number, restShift: number): number {
  return (hash & ((1 << bucketShift) - 1)) >>> restShift;
}

/** Number of bits for numbers below `bound`. */
function bitsFor(bound: number): number {
  return bound <= 1 ? 0 : ENTRY_BITS - Math.clz32(bound - 1);
}
