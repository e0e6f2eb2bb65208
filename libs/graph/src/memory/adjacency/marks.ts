/** A set of nodes that collects itself: bits that fit the cache, and the list of those set. *Hot path*. */
import { Uint32List } from '../array/number-list.ts';

/** Below one node in so many, sorting the list is cheaper than walking the bits. */
const SPARSE_SHARE = 256;

export class Marks {
  #bits = new Uint32Array(0);
  readonly #found = new Uint32List();

  /** Ready for nodes below `bound`. */
  begin(bound: number): void {
    const words = (bound + 31) >>> 5;
    if (this.#bits.length < words) this.#bits = new Uint32Array(words + (words >>> 1));
    this.#found.length = 0;
  }

  add(node: number): void {
    const bit = 1 << (node & 31);
    const word = this.#bits[node >>> 5]!;
    if ((word & bit) !== 0) return;
    this.#bits[node >>> 5] = word | bit;
    this.#found.push(node);
  }

  /** All that were added, ascending; leaves the set empty. */
  take(): Uint32Array {
    const found = this.#found.data.slice(0, this.#found.length);
    if (found.length * SPARSE_SHARE < this.#bits.length << 5) {
      for (let at = 0; at < found.length; at++) this.#bits[found[at]! >>> 5] = 0;
      return found.sort();
    }
    return this.#takeBits(found);
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
}
