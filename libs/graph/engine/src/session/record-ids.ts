/** *Hot path* of large syncs: two look-ups for each record. */
import assert from 'node:assert/strict';

const WORDS = 4;
const WORD_DIGITS = 8;
const ROOM_MIN = 1_024;

/** The ids of millions of records, outside of V8's heap: 21 to 43 bytes each. An id is 32 hex digits. */
export class RecordIds {
  /** Four words for each slot; a slot of zeros is free. */
  #slots = new Uint32Array(ROOM_MIN * WORDS);
  #size = 0;

  add(id: string): void {
    if (4 * (this.#size + 1) > 3 * (this.#slots.length / WORDS)) this.#grow();
    const words = wordsOf(id);
    if (this.#put(words)) this.#size++;
  }

  has(id: string): boolean {
    return this.#slots[this.#slotOf(wordsOf(id))] !== 0;
  }

  /** Returns whether it is new. */
  #put(words: Uint32Array): boolean {
    const slot = this.#slotOf(words);
    if (this.#slots[slot] !== 0) return false;
    this.#slots.set(words, slot);
    return true;
  }

  /** Where the words are, or the free slot where they belong. */
  #slotOf(words: Uint32Array): number {
    const slots = this.#slots;
    const room = slots.length / WORDS;
    for (let at = words[1]! % room; ; at = (at + 1) % room) {
      const slot = at * WORDS;
      if (slots[slot] === 0 || words.every((word, index) => slots[slot + index] === word)) return slot;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += WORDS)
      if (old[slot] !== 0) this.#put(old.subarray(slot, slot + WORDS));
  }
}

/** The first word of a stored id is not zero: it marks the slot. */
function wordsOf(id: string): Uint32Array {
  const words = new Uint32Array(WORDS);
  for (let at = 0; at < WORDS; at++)
    words[at] = Number.parseInt(id.slice(at * WORD_DIGITS, (at + 1) * WORD_DIGITS), 16);
  if (words[0] === 0) words[0] = 1;
  assert(id.length === WORDS * WORD_DIGITS, 'an id has 32 hex digits');
  return words;
}
