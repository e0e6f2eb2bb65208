/**
 * Decodes heads, each compressed separately against a dictionary (ADR 0229). On the *hot path* of every read.
 *
 *   head       varint: length of the body in bytes; then the body as sequences, the last of which may end
 *              after its literals
 *   body       the head without {"id":"<32 hex>, which is stored separately as four words
 *   sequence   u8 token: length of the literals (4 bits), length of the match − 8 (4 bits); then further
 *              length bytes of the literals, the literals, u16 distance, further length bytes of the match.
 *              A length of 15 is followed by bytes to add to it, up to the first that is not 255
 *   distance   from the write position back to the match, at most 65,535: through the body, the 39 bytes of
 *              the id, which no match includes, and the dictionary before it
 *
 * Each thread has its own window for each dictionary: the dictionary, followed by the last decoded head.
 * Bytes are copied eight at a time: up to seven bytes past the end are overwritten.
 */
import { InvariantViolation } from '#platform/foundation';
import type { Arena } from '../array/arena.ts';
import { writeIdText } from '../name/id-index.ts';

export const MATCH_MIN = 8;
export const LENGTH_IN_TOKEN_MAX = 15;
export const LENGTH_BYTE_MAX = 255;

const ID_LABEL = Buffer.from('{"id":"', 'latin1');
/** `{"id":"<32 hex>`: the prefix of a body. */
export const BODY_AT = ID_LABEL.length + 32;
const COPIED_AT_ONCE = 8;
const ROOM_BYTES = 1_024;

/** Bytes of one head, valid until another head is read. */
export interface HeadBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * The last decoded head. **The next read overwrites it**, of the same row or of another one of the same type:
 * use {@link HeadWindow.copy} for bytes that must stay.
 */
export class HeadWindow implements HeadBytes {
  readonly start: number;
  /** The end of the bytes read. */
  end: number;
  bytes: Buffer;
  readonly #dictionary: Uint8Array;
  readonly #bodyAt: number;
  #view: DataView;
  /** The end of the body, and the requested part of it. */
  #full = 0;
  #wanted = 0;

  constructor(dictionary: Uint8Array) {
    this.#dictionary = dictionary;
    this.start = dictionary.length;
    this.#bodyAt = dictionary.length + BODY_AT;
    this.end = this.#bodyAt;
    this.bytes = Buffer.alloc(0);
    this.#view = new DataView(this.bytes.buffer, 0, 0);
  }

  /** Decodes a whole head. `words` has the four words of its id at `at`. */
  read(arena: Arena, reference: number, words: Uint32Array, at: number): this {
    this.readBody(arena, reference);
    writeIdText(words, at, this.#view, this.start + ID_LABEL.length);
    return this;
  }

  /**
   * Decodes a head without its id; at least the first `length` bytes of a longer one. Throws
   * {@link InvariantViolation} for invalid bytes.
   */
  readBody(arena: Arena, reference: number, length = Infinity): this {
    const source = arena.chunk(reference);
    const to = arena.end(reference);
    let at = arena.start(reference);
    let bodyLength = 0;
    for (let factor = 1, more = true; more; factor *= 128) {
      const byte = source[at++]!;
      bodyLength += (byte & 127) * factor;
      more = byte > 127 && at < to;
    }
    if (!(bodyLength <= (to - at) * LENGTH_BYTE_MAX)) throw damaged();
    this.#full = this.#bodyAt + bodyLength;
    this.#wanted = Math.min(this.#full, this.start + length);
    if (this.#full + COPIED_AT_ONCE > this.bytes.length) this.#makeRoom(this.#full + COPIED_AT_ONCE);
    this.end = this.#decode(arena.view(reference), source, at, to);
    return this;
  }

  copy(): Buffer {
    return Buffer.from(this.bytes.subarray(this.start, this.end));
  }

  /** `view` and `source` share their bytes. */
  #decode(view: DataView, source: Buffer, from: number, to: number): number {
    const [window, full, wanted] = [this.#view, this.#full, this.#wanted];
    const { bytes } = this;
    let at = from;
    let out = this.#bodyAt;
    while (out < wanted) {
      const token = source[at++]!;
      let literals = token >>> 4;
      if (literals === LENGTH_IN_TOKEN_MAX) {
        literals += lengthAt(source, at);
        at += lengthBytes(literals);
      }
      expectBoth(out + literals <= full, at + literals <= to);
      if (at + literals + COPIED_AT_ONCE <= view.byteLength) {
        for (let done = 0; done < literals; done += COPIED_AT_ONCE)
          window.setBigUint64(out + done, view.getBigUint64(at + done, true), true);
      } else bytes.set(source.subarray(at, at + literals), out);
      at += literals;
      out += literals;
      if (out >= wanted) break;
      const distance = source[at]! | (source[at + 1]! << 8);
      at += 2;
      let match = token & LENGTH_IN_TOKEN_MAX;
      if (match === LENGTH_IN_TOKEN_MAX) {
        match += lengthAt(source, at);
        at += lengthBytes(match);
      }
      match += MATCH_MIN;
      const start = out - distance;
      expectBoth(out + match <= full, at <= to);
      expectBoth(start >= 0, distance > 0);
      if (distance >= COPIED_AT_ONCE) {
        for (let done = 0; done < match; done += COPIED_AT_ONCE)
          window.setBigUint64(out + done, window.getBigUint64(start + done, true), true);
      } else {
        // The match overlaps its destination.
        for (let done = 0; done < match; done++) bytes[out + done] = bytes[start + done]!;
      }
      out += match;
    }
    return out;
  }

  #makeRoom(bytes: number): void {
    const room = Buffer.alloc(Math.max(bytes, this.#bodyAt + ROOM_BYTES, this.bytes.length * 2));
    room.set(this.#dictionary);
    room.set(ID_LABEL, this.start);
    this.bytes = room;
    this.#view = new DataView(room.buffer, room.byteOffset, room.byteLength);
  }
}

/** The sum of the additional length bytes; NaN beyond the end of the source. */
function lengthAt(source: Buffer, at: number): number {
  for (let length = 0; ;) {
    const byte = source[at++]!;
    length += byte;
    if (byte !== LENGTH_BYTE_MAX) return length;
  }
}

/** Number of additional length bytes for a length, which includes the part in the token. */
function lengthBytes(length: number): number {
  return Math.floor((length - LENGTH_IN_TOKEN_MAX) / LENGTH_BYTE_MAX) + 1;
}

/** Comparisons with NaN lengths are false. */
function expectBoth(isOne: boolean, isOther: boolean): void {
  if (!isOne || !isOther) throw damaged();
}

function damaged(): InvariantViolation {
  return new InvariantViolation('a head is whole');
}
