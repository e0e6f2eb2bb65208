/**
 * Numbers values of a fixed width in the order of first occurrence: a hash table with open addressing over
 * the values, which are compared as 32-bit words. The values are hashes or derived from hashes, so the first
 * word selects the slot. *Hot path*.
 *
 * Accounts take turns, so a value often follows the same value as at its first occurrence. The look-up tries
 * the code after the last result first, which saves the access to the slots.
 *
 * Invariants: the number of slots is a power of two; at most half of them are used; 0 is a free slot, any
 * other content is code + 1. A dictionary that is only filled by {@link FixedDictionary.append} has no slots.
 */
const FIRST_VALUES = 64;

export class FixedDictionary {
  /** Number of 32-bit words in a value. */
  readonly #width: number;
  #words: Int32Array;
  #slots = new Int32Array(0);
  #size = 0;
  /** The result of the last look-up. */
  #last = -1;

  /** `width` is in bytes, a multiple of four. */
  constructor(width: number) {
    this.#width = width / 4;
    this.#words = new Int32Array(FIRST_VALUES * this.#width);
  }

  get size(): number {
    return this.#size;
  }

  /** The concatenated values in the order of their codes; a view that is valid until the next change. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.#size * this.#width * 4);
  }

  /** The code of the value whose words start at `from[at]`. Adds a new value. */
  codeOf(from: Int32Array, at: number): number {
    const next = this.#last + 1;
    if (next < this.#size && this.#isAt(next, from, at)) return (this.#last = next);
    return (this.#last = this.#find(from, at));
  }

  /** Adds the value without a look-up. */
  append(from: Int32Array, at: number): number {
    const to = this.#size * this.#width;
    if (to === this.#words.length) this.#grow();
    for (let i = 0; i < this.#width; i++) this.#words[to + i] = from[at + i]!;
    return this.#size++;
  }

  clear(): void {
    this.#size = 0;
    this.#last = -1;
    this.#slots.fill(0);
  }

  #find(from: Int32Array, at: number): number {
    if (this.#size * 2 >= this.#slots.length) this.#rehash();
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = from[at]! & mask;
    for (let taken = slots[slot]!; taken !== 0; taken = slots[slot]!) {
      if (this.#isAt(taken - 1, from, at)) return taken - 1;
      slot = (slot + 1) & mask;
    }
    slots[slot] = this.#size + 1;
    return this.append(from, at);
  }

  #isAt(code: number, from: Int32Array, at: number): boolean {
    const words = this.#words;
    const width = this.#width;
    const start = code * width;
    for (let i = 0; i < width; i++) if (words[start + i] !== from[at + i]) return false;
    return true;
  }

  #grow(): void {
    const grown = new Int32Array(this.#words.length * 2);
    grown.set(this.#words);
    this.#words = grown;
  }

  #rehash(): void {
    this.#slots = new Int32Array(Math.max(FIRST_VALUES * 2, this.#slots.length * 2));
    const mask = this.#slots.length - 1;
    for (let code = 0; code < this.#size; code++) {
      let slot = this.#words[code * this.#width]! & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = code + 1;
    }
  }
}
