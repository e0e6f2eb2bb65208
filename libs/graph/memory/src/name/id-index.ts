/** Ids (32 hex digits) as four 32-bit words. Comparisons are on the *hot path* of every look-up. */
const ID_LENGTH = 32;

const NOT_HEX = 255;

const DIGITS = new Uint8Array(128).fill(NOT_HEX);

for (let digit = 0; digit < 16; digit++) DIGITS[digit.toString(16).charCodeAt(0)] = digit;

/** The two hex digits of each byte. */
const PAIRS = Uint16Array.from({ length: 256 }, (_, byte) =>
  Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1').readUInt16BE(0),
);

/** Fills `into`, which may be reused; false if the text is not a lower-case id. */
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

/** Writes an id, the four words at `at`, as hex digits. */
export function writeIdText(words: Uint32Array, at: number, into: DataView, to: number): void {
  for (let word = 0; word < 4; word++) {
    const bits = words[at + word]!;
    into.setUint16(to, PAIRS[bits >>> 24]!);
    into.setUint16(to + 2, PAIRS[(bits >>> 16) & 255]!);
    into.setUint16(to + 4, PAIRS[(bits >>> 8) & 255]!);
    into.setUint16(to + 6, PAIRS[bits & 255]!);
    to += 8;
  }
}

const text = Buffer.alloc(ID_LENGTH);
const textView = new DataView(text.buffer, text.byteOffset, ID_LENGTH);

/** The id of the four words at `at`. */
export function idText(words: Uint32Array, at: number): string {
  writeIdText(words, at, textView, 0);
  return text.toString('latin1', 0, ID_LENGTH);
}
