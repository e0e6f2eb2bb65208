/**
 * Numbers values of a fixed width in the order in which they come first: open addressing over their own
 * bytes. The values are hashes, or made of hashes, so their first word chooses the slot. *Hot path*.
 *
 * At all times: the slots are a power of two, at most half full; 0 is a free one, else it is code + 1. A
 * dictionary that only {@link FixedDictionary.append} was called on has no slots to keep.
 */
const FIRST_VALUES = 64;

export class FixedDictionary {
  readonly #width: number;
  #bytes: Uint8Array;
  #slots = new Int32Array(0);
  #size = 0;

  constructor(width: number) {
    this.#width = width;
    this.#bytes = new Uint8Array(FIRST_VALUES * width);
  }

  get size(): number {
    return this.#size;
  }

  /** The values behind each other, by code; a view that lasts until the next change. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size * this.#width);
  }

  /** The code of the value at `from[at…]`, which is added when it is new. */
  codeOf(from: Uint8Array, at: number): number {
    if (this.#size * 2 >= this.#slots.length) this.#rehash();
    const mask = this.#slots.length - 1;
    let slot = firstWord(from, at) & mask;
    for (let taken = this.#slots[slot]!; taken !== 0; taken = this.#slots[slot]!) {
      if (this.#isAt(taken - 1, from, at)) return taken - 1;
      slot = (slot + 1) & mask;
    }
    this.#slots[slot] = this.#size + 1;
    return this.append(from, at);
  }

  /** Adds the value without looking for it. */
  append(from: Uint8Array, at: number): number {
    const to = this.#size * this.#width;
    if (to === this.#bytes.length) this.#grow();
    for (let i = 0; i < this.#width; i++) this.#bytes[to + i] = from[at + i]!;
    return this.#size++;
  }

  clear(): void {
    this.#size = 0;
    this.#slots.fill(0);
  }

  #isAt(code: number, from: Uint8Array, at: number): boolean {
    const start = code * this.#width;
    for (let i = 0; i < this.#width; i++) {
      if (this.#bytes[start + i] !== from[at + i]) return false;
    }
    return true;
  }

  #grow(): void {
    const grown = new Uint8Array(this.#bytes.length * 2);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }

  #rehash(): void {
    this.#slots = new Int32Array(Math.max(FIRST_VALUES * 2, this.#slots.length * 2));
    const mask = this.#slots.length - 1;
    for (let code = 0; code < this.#size; code++) {
      let slot = firstWord(this.#bytes, code * this.#width) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = code + 1;
    }
  }
}

function firstWord(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
}
