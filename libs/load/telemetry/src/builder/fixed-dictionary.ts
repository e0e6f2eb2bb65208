/**
 * Numbers values of a fixed width in the order in which they come first: open addressing over the values
 * themselves, by 32-bit words. They are hashes, or made of hashes, so the first word chooses the slot.
 * *Hot path*.
 *
 * Accounts take turns, so a value is often the one that came after the last one when both were new: it is
 * looked for there first, which saves the jump through the slots.
 *
 * At all times: the slots are a power of two, at most half full; 0 is a free one, else it is code + 1. A
 * dictionary that only {@link FixedDictionary.append} was called on has no slots to keep.
 */
const FIRST_VALUES = 64;

export class FixedDictionary {
  /** Words of a value. */
  readonly #width: number;
  #words: Int32Array;
  #slots = new Int32Array(0);
  #size = 0;
  /** The code that was found last. */
  #last = -1;

  /** `width` is a multiple of four. */
  constructor(width: number) {
    this.#width = width / 4;
    this.#words = new Int32Array(FIRST_VALUES * this.#width);
  }

  get size(): number {
    return this.#size;
  }

  /** The values behind each other, by code; a view that lasts until the next change. */
  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, 0, this.#size * this.#width * 4);
  }

  /** The code of the value whose words begin at `from[at]`; it is added when it is new. */
  codeOf(from: Int32Array, at: number): number {
    const next = this.#last + 1;
    if (next < this.#size && this.#isAt(next, from, at)) return (this.#last = next);
    return (this.#last = this.#find(from, at));
  }

  /** Adds the value without looking for it. */
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
