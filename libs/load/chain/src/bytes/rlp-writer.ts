/**
 * Hot path: writes RLP to reused memory. The body of a list is written first. Its header is written into
 * reserved room before the body when the length is known.
 *
 *   0x00–0x7f         the byte itself
 *   0x80 + n          n bytes follow, n ≤ 55
 *   0xb7 + k          k bytes of length, then as many bytes
 *   0xc0 + n, 0xf7 + k  the same for lists
 *
 * Integers are big endian without leading zeros; zero is the empty string.
 */
import { assert } from '#platform/foundation';

const SHORT_MAX = 55;
const STRING = 0x80;
const LIST = 0xc0;
const WORD_BYTES = 32;
const FIRST_BYTES = 1_024;

export class RlpWriter {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #at = 0;
  readonly #word = new DataView(new ArrayBuffer(WORD_BYTES));
  readonly #wordBytes = new Uint8Array(this.#word.buffer);

  /** Offset of the next byte. */
  get at(): number {
    return this.#at;
  }

  /** Starts again after `room` free bytes, which are reserved for headers and prefixes. */
  reset(room: number): this {
    this.#at = room;
    return this;
  }

  /** Forgets what was written from an offset on. */
  rewind(at: number): this {
    this.#at = at;
    return this;
  }

  /** The bytes between two offsets, as a view that the next use of the writer overwrites. */
  view(from: number, to: number): Uint8Array {
    return this.#bytes.subarray(from, to);
  }

  string(value: Uint8Array): this {
    const { length } = value;
    this.#reserve(length + 9);
    if (length === 1 && value[0]! < STRING) {
      this.#bytes[this.#at++] = value[0]!;
      return this;
    }
    this.#at = putHeader(this.#bytes, this.#at, length, STRING);
    this.#bytes.set(value, this.#at);
    this.#at += length;
    return this;
  }

  /** An integer from 0 to 2^256 − 1. */
  uint(value: bigint | number): this {
    if (typeof value === 'number' && value >= 0 && value < STRING)
      return this.#byte(value === 0 ? STRING : value);
    return this.#wordFrom(this.#loadWord(BigInt(value)));
  }

  /** An integer given as big-endian bytes, with or without leading zeros. */
  uintBytes(value: Uint8Array): this {
    let from = 0;
    while (from < value.length && value[from] === 0) from++;
    return this.string(from === 0 ? value : value.subarray(from));
  }

  /** Bytes in RLP encoding. */
  encoded(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#bytes.set(value, this.#at);
    this.#at += value.length;
    return this;
  }

  /** Writes a list header before the body, which extends from `from` to `at`. Returns the header's offset. */
  listHeader(from: number): number {
    const length = this.#at - from;
    const start = from - headerBytes(length);
    assert(start >= 0, 'room for a list header in front of the body');
    putHeader(this.#bytes, start, length, LIST);
    return start;
  }

  /** Writes one byte before `at`. Returns its offset. */
  prefix(at: number, byte: number): number {
    assert(at > 0, 'room for a byte in front');
    this.#bytes[at - 1] = byte;
    return at - 1;
  }

  #byte(value: number): this {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
    return this;
  }

  /** Stores the value in the word. Returns the index of its first non-zero byte. */
  #loadWord(value: bigint): number {
    assert(value >= 0n && value >> 256n === 0n, 'an integer of 256 bits, not negative');
    if (value >> 64n === 0n) {
      this.#word.setBigUint64(24, value);
      return this.#firstFrom(24);
    }
    for (let at = 24, rest = value; at >= 0; at -= 8, rest >>= 64n) {
      this.#word.setBigUint64(at, BigInt.asUintN(64, rest));
    }
    return this.#firstFrom(0);
  }

  #firstFrom(from: number): number {
    let at = from;
    while (at < WORD_BYTES && this.#wordBytes[at] === 0) at++;
    return at;
  }

  #wordFrom(first: number): this {
    const length = WORD_BYTES - first;
    if (length === 1 && this.#wordBytes[first]! < STRING) return this.#byte(this.#wordBytes[first]!);
    this.#reserve(length + 1);
    this.#bytes[this.#at++] = STRING + length;
    for (let at = first; at < WORD_BYTES; at++) this.#bytes[this.#at++] = this.#wordBytes[at]!;
    return this;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe((this.#at + length) * 2);
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}

function headerBytes(length: number): number {
  return length <= SHORT_MAX ? 1 : 1 + lengthBytes(length);
}

function lengthBytes(length: number): number {
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4;
}

function putHeader(bytes: Buffer, at: number, length: number, base: number): number {
  if (length <= SHORT_MAX) {
    bytes[at] = base + length;
    return at + 1;
  }
  const count = lengthBytes(length);
  bytes[at] = base + SHORT_MAX + count;
  return bytes.writeUIntBE(length, at + 1, count);
}
