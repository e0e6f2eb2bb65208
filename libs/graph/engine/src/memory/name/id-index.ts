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
