/**
 * Open addressing from the first 32 bits of an id to a number: 4 bytes a slot, at most three quarters full.
 * Ids are hashes, so their bits are the slot. The index holds no ids: its owner verifies candidates. On the
 * *hot path* of look-ups and ingest.
 *
 *   slot   0 empty, else number + 1; linear probing; nothing is ever removed
 */
const SLOTS_MIN = 64;

export class IdIndex {
  readonly #slots: Uint32Array;
  readonly #mask: number;

  constructor(slots: Uint32Array) {
    this.#slots = slots;
    this.#mask = slots.length - 1;
  }

  static slotsFor(count: number): number {
    let slots = SLOTS_MIN;
    while (count * 4 > slots * 3) slots *= 2;
    return slots;
  }

  /** The slot of the first candidate. */
  home(bits: number): number {
    return bits & this.#mask;
  }

  /** The slot of the candidate after the one in `slot`. */
  next(slot: number): number {
    return (slot + 1) & this.#mask;
  }

  /** The number in a slot; −1 where it is empty: there are no more candidates. */
  at(slot: number): number {
    return this.#slots[slot]! - 1;
  }

  /** Without growing: the slots were made large enough. */
  insert(bits: number, value: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = bits & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = value + 1;
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
