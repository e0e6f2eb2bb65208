/** *Hot path* of large runs: two look-ups for each record. */
import { hash } from 'node:crypto';

/** Of a slot: four words of the name's digest, three of the text's, and the place, counted from 1. */
const SLOT_WORDS = 8;
const NAME_WORDS = 4;
const PLACE_WORD = 7;
const ROOM_MIN = 16;

/** The beginning of a SHA-256: what has the same one is the same, as with the ids of the graph. */
export type Digest = readonly [number, number, number, number];

export function digestOf(text: string): Digest {
  const bytes = hash('sha256', text, 'binary');
  return [wordAt(bytes, 0), wordAt(bytes, 4), wordAt(bytes, 8), wordAt(bytes, 12)];
}

/**
 * Where the texts of millions of names are, outside of V8's heap: 43 to 86 bytes each. Names and texts are
 * known by their digests.
 */
export class NameIndex {
  /** A slot without a place is free. */
  #slots = new Uint32Array(ROOM_MIN * SLOT_WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get bytes(): number {
    return this.#slots.byteLength;
  }

  /** The slot of a name; undefined if it has none. Valid until the next addition. */
  find(name: Digest): number | undefined {
    const slot = this.#slotOf(name);
    return this.#slots[slot + PLACE_WORD] === 0 ? undefined : slot;
  }

  placeOf(slot: number): number {
    return this.#slots[slot + PLACE_WORD]! - 1;
  }

  isOf(slot: number, text: Digest): boolean {
    return startsAt(this.#slots, slot + NAME_WORDS, text, PLACE_WORD - NAME_WORDS);
  }

  /** The name is new; its place is the next one. */
  add(name: Digest, text: Digest): void {
    if (4 * (this.#size + 1) > 3 * (this.#slots.length / SLOT_WORDS)) this.#grow();
    const slot = this.#slotOf(name);
    this.#slots.set(name, slot);
    // Its last word gives way to the place.
    this.#slots.set(text, slot + NAME_WORDS);
    this.#slots[slot + PLACE_WORD] = ++this.#size;
  }

  /** Where the name is, or the free slot where it belongs. */
  #slotOf(name: ArrayLike<number>): number {
    const slots = this.#slots;
    const room = slots.length / SLOT_WORDS;
    for (let at = name[0]! % room; ; at = (at + 1) % room) {
      const slot = at * SLOT_WORDS;
      if (slots[slot + PLACE_WORD] === 0 || startsAt(slots, slot, name, NAME_WORDS)) return slot;
    }
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += SLOT_WORDS)
      if (old[slot + PLACE_WORD] !== 0)
        this.#slots.set(old.subarray(slot, slot + SLOT_WORDS), this.#slotOf(old.subarray(slot)));
  }
}

function startsAt(slots: Uint32Array, at: number, words: ArrayLike<number>, count: number): boolean {
  for (let word = 0; word < count; word++) if (slots[at + word] !== words[word]) return false;
  return true;
}

function wordAt(bytes: string, at: number): number {
  const [a, b] = [bytes.charCodeAt(at), bytes.charCodeAt(at + 1)];
  return (a | (b << 8) | (bytes.charCodeAt(at + 2) << 16) | (bytes.charCodeAt(at + 3) << 24)) >>> 0;
}
