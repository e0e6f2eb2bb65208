/** A growing set of nodes: a bitmap that fits the cache, and the list of the set bits. *Hot path*. */
import type { Steps } from '#platform/foundation';
import { sortAscending } from './ascending.ts';

/** Below one node in this many, sorting the list is cheaper than scanning the bitmap. */
const SPARSE_SHARE = 256;
const FIRST_CAPACITY = 1_024;
/** Takes some microseconds if every bit is set. */
const WORDS_PER_STEP = 256;

type Keep = (node: number) => boolean;

interface WordRange {
  readonly start: number;
  readonly end: number;
}

const ALL_WORDS: WordRange = { start: 0, end: Infinity };

/** Lists of neighbours: those of row `n` are at `[offsets[n], offsets[n + 1])`. */
export interface NeighborLists {
  readonly offsets: Uint32Array;
  readonly nodes: Uint32Array;
}

export class Marks {
  #bits = new Uint32Array(0);
  #found: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  /** Prepares the set for nodes below `bound`. */
  begin(bound: number): void {
    const words = (bound + 31) >>> 5;
    if (this.#bits.length < words) this.#bits = new Uint32Array(words + (words >>> 1));
    this.#length = 0;
  }

  add(node: number): void {
    const bit = 1 << (node & 31);
    const word = this.#bits[node >>> 5]!;
    if ((word & bit) !== 0) return;
    this.#bits[node >>> 5] = word | bit;
    if (this.#length === this.#found.length) this.#grow(this.#length + 1);
    this.#found[this.#length++] = node;
  }

  /** Adds all neighbours of `rows`; the first row has the number `start`. */
  addLists({ offsets, nodes }: NeighborLists, rows: Uint32Array, start: number): void {
    const bits = this.#bits;
    let found = this.#found;
    let length = this.#length;
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index]! - start;
      const end = offsets[row + 1]!;
      let at = offsets[row]!;
      if (length + end - at > found.length) found = this.#grow(length + end - at);
      for (; at < end; at++) {
        const node = nodes[at]!;
        const word = bits[node >>> 5]!;
        // Written unconditionally and counted if new: the branch would be unpredictable.
        found[length] = node;
        length += ((word >>> (node & 31)) & 1) ^ 1;
        bits[node >>> 5] = word | (1 << (node & 31));
      }
    }
    this.#length = length;
  }

  /** Returns the added nodes that pass, ascending, and empties the set. */
  drain(keep?: Keep): Uint32Array {
    return this.#isSparse ? this.#drainList(keep) : this.#found.slice(0, this.#drainBits(ALL_WORDS, 0, keep));
  }

  /** Like `drain`, in steps. */
  *drainInSteps(keep?: Keep): Steps<Uint32Array> {
    if (this.#isSparse) return this.#drainList(keep);
    let count = 0;
    for (let start = 0; start < this.#bits.length; start += WORDS_PER_STEP) {
      count = this.#drainBits({ start, end: start + WORDS_PER_STEP }, count, keep);
      yield;
    }
    return this.#found.slice(0, count);
  }

  get #isSparse(): boolean {
    return this.#length * SPARSE_SHARE < this.#bits.length << 5;
  }

  #drainList(keep: Keep | undefined): Uint32Array {
    const found = this.#found;
    for (let at = 0; at < this.#length; at++) this.#bits[found[at]! >>> 5] = 0;
    let kept = 0;
    // Filtering first saves sorting the excluded nodes.
    for (let at = 0; at < this.#length; at++) {
      if (keep === undefined || keep(found[at]!)) found[kept++] = found[at]!;
    }
    return sortAscending(found.slice(0, kept));
  }

  /** Appends the passing nodes of some words to the first `count`; returns the new count. */
  #drainBits({ start, end }: WordRange, count: number, keep: Keep | undefined): number {
    const bits = this.#bits;
    const into = this.#found;
    const last = Math.min(end, bits.length);
    for (let index = start; index < last; index++) {
      let word = bits[index]!;
      if (word === 0) continue;
      bits[index] = 0;
      while (word !== 0) {
        const low = word & -word;
        const node = (index << 5) + 31 - Math.clz32(low);
        if (keep === undefined || keep(node)) into[count++] = node;
        word ^= low;
      }
    }
    return count;
  }

  #grow(needed: number): Uint32Array {
    const grown = new Uint32Array(Math.max(needed, this.#found.length * 2));
    grown.set(this.#found);
    return (this.#found = grown);
  }
}
