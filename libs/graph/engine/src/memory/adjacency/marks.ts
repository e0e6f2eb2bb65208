/** A set of nodes that collects itself: bits that fit the cache, and the list of those set. *Hot path*. */

/** Below one node in so many, sorting the list is cheaper than walking the bits. */
const SPARSE_SHARE = 256;
const FIRST_CAPACITY = 1_024;

/** Lists of neighbours: those of row `n` stand from `offsets[n]` on, up to `offsets[n + 1]`. */
export interface NeighborLists {
  readonly offsets: Uint32Array;
  readonly nodes: Uint32Array;
}

export class Marks {
  #bits = new Uint32Array(0);
  #found: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  #length = 0;

  /** Ready for nodes below `bound`. */
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

  /** All neighbours of `rows`, the first of which is numbered `start`. */
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
        // Written always, counted when new: whether a node is new is not to be foreseen.
        found[length] = node;
        length += ((word >>> (node & 31)) & 1) ^ 1;
        bits[node >>> 5] = word | (1 << (node & 31));
      }
    }
    this.#length = length;
  }

  /** All that were added and are to be kept, ascending; leaves the set empty. */
  drain(keep?: (node: number) => boolean): Uint32Array {
    const found = this.#found.subarray(0, this.#length);
    if (found.length * SPARSE_SHARE < this.#bits.length << 5) {
      for (let at = 0; at < found.length; at++) this.#bits[found[at]! >>> 5] = 0;
      // What is left out first is not sorted.
      return filtered(found, keep).sort();
    }
    return filtered(this.#takeBits(found), keep);
  }

  #takeBits(into: Uint32Array): Uint32Array {
    const bits = this.#bits;
    let at = 0;
    for (let index = 0; index < bits.length; index++) {
      let word = bits[index]!;
      if (word === 0) continue;
      bits[index] = 0;
      while (word !== 0) {
        const low = word & -word;
        into[at++] = (index << 5) + 31 - Math.clz32(low);
        word ^= low;
      }
    }
    return into;
  }

  #grow(needed: number): Uint32Array {
    const grown = new Uint32Array(Math.max(needed, this.#found.length * 2));
    grown.set(this.#found);
    return (this.#found = grown);
  }
}

/** A copy. */
function filtered(nodes: Uint32Array, keep?: (node: number) => boolean): Uint32Array {
  if (keep === undefined) return nodes.slice();
  let length = 0;
  for (let at = 0; at < nodes.length; at++) {
    const node = nodes[at]!;
    if (keep(node)) nodes[length++] = node;
  }
  return nodes.slice(0, length);
}
