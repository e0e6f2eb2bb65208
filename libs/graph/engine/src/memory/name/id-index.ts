/**
 * Open addressing from the first 32 bits of an id to a number: 4 bytes a slot, at most three quarters full.
 * Ids are hashes, so their bits are the slot. The index holds no ids: its owner verifies candidates. On the
 * *hot path* of look-ups and ingest.
 *
 *   slot   0 empty, else number + 1; linear probing; nothing is ever removed
 */
const SLOTS_MIN = 64;

export class IdIndex {
  #slots: Uint32Array;
  #mask: number;
  #count = 0;

  constructor(slots: Uint32Array = new Uint32Array(SLOTS_MIN)) {
    this.#slots = slots;
    this.#mask = slots.length - 1;
  }

  static slotsFor(count: number): number {
    let slots = SLOTS_MIN;
    while (count * 4 > slots * 3) slots *= 2;
    return slots;
  }

  /** The number for which `isIt` holds, −1 when there is none. */
  find(bits: number, isIt: (candidate: number) => boolean): number {
    const slots = this.#slots;
    const mask = this.#mask;
    for (let at = bits & mask; ; at = (at + 1) & mask) {
      const slot = slots[at]!;
      if (slot === 0) return -1;
      if (isIt(slot - 1)) return slot - 1;
    }
  }

  /** Adds a number that is not there; `bitsOf` gives the bits of those that are, should the index grow. */
  add(bits: number, value: number, bitsOf: (value: number) => number): void {
    if ((this.#count + 1) * 4 > this.#slots.length * 3) this.#grow(bitsOf);
    this.insert(bits, value);
    this.#count++;
  }

  /** Without growing: the slots were made large enough. */
  insert(bits: number, value: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = bits & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = value + 1;
  }

  #grow(bitsOf: (value: number) => number): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#mask = this.#slots.length - 1;
    for (const slot of old) if (slot !== 0) this.insert(bitsOf(slot - 1), slot - 1);
  }
}

/** Ids, 32 hex digits, as four 32-bit words: compared on the *hot path* of every look-up. */
const ID_LENGTH = 32;

const NOT_HEX = 255;

const DIGITS = new Uint8Array(128).fill(NOT_HEX);

for (let digit = 0; digit < 16; digit++) DIGITS[digit.toString(16).charCodeAt(0)] = digit;

/** Fills `into`, which may be reused; false when the text is no id (in lower case). */
export function readId(id: string, into: Uint32Array): boolean {
  if (id.length !== ID_LENGTH) return false;
  for (let word = 0; word < 4; word++) {
    let bits = 0;
    for (let at = word * 8; at < word * 8 + 8; at++) {
      const code = id.charCodeAt(at);
      const digit = code < 128 ? DIGITS[code]! : NOT_HEX;
      if (digit === NOT_HEX) return false;
      bits = (bits << 4) | digit;
    }
    into[word] = bits;
  }
  return true;
}

/** The first 32 bits of an id that stands as hex digits at `at`. */
export function firstWord(bytes: Uint8Array, at: number): number {
  let bits = 0;
  for (let end = at + 8; at < end; at++) bits = (bits << 4) | DIGITS[bytes[at]! & 127]!;
  return bits >>> 0;
}

export function isIdAt(bytes: Uint8Array, at: number, id: string): boolean {
  for (let digit = 0; digit < ID_LENGTH; digit++)
    if (bytes[at + digit] !== id.charCodeAt(digit)) return false;
  return true;
}
