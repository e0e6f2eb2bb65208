/**
 * Reads heads that lie compressed, each alone, against a dictionary (ADR 0229). On the *hot path* of every
 * read.
 *
 *   head       varint: bytes of the body; then the body as sequences, the last of which may end with its
 *              literals
 *   body       the head without {"id":"<32 hex>, which is kept apart as four words
 *   sequence   u8 token: length of the literals (4 bits), length of the match less 8 (4 bits); 15: bytes
 *              follow that are added, up to one that is not 255; those of the literals, the literals,
 *              u16 distance, those of the match
 *   distance   from the place to be filled back to the match, at most 65,535: through the body, the 39 bytes
 *              of the id, which no match touches, and the dictionary, which lies in front of it
 *
 * Each thread has a window of its own for each dictionary: the dictionary, and behind it the head that was
 * read last. Bytes are copied eight at a time: up to seven behind the end are overwritten.
 */
import { InvariantViolation } from '#platform/foundation';
import type { Arena } from '../array/arena.ts';
import { writeIdText } from '../name/id-index.ts';

export const MATCH_MIN = 8;
export const LENGTH_IN_TOKEN_MAX = 15;
export const LENGTH_BYTE_MAX = 255;

const ID_LABEL = Buffer.from('{"id":"', 'latin1');
/** `{"id":"<32 hex>`: what stands in front of a body. */
export const BODY_AT = ID_LABEL.length + 32;
const COPIED_AT_ONCE = 8;
const ROOM_BYTES = 1_024;

/** Bytes of one head, to be used before another head is read. */
export interface HeadBytes {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/**
 * One head at a time, decoded. **What it holds is overwritten by the next read**, of the same row or of
 * another of the same type: take a {@link HeadWindow.copy} of what is to stay.
 */
export class HeadWindow implements HeadBytes {
  readonly start: number;
  /** One past what has been read. */
  end: number;
  bytes: Buffer;
  readonly #dictionary: Uint8Array;
  readonly #bodyAt: number;
  #view: DataView;
  /** Where the body that is read ends, and how much of it is wanted. */
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

  /** A whole head. `words` has the four words of its id at `at`. */
  read(arena: Arena, reference: number, words: Uint32Array, at: number): this {
    this.readBody(arena, reference);
    writeIdText(words, at, this.#view, this.start + ID_LABEL.length);
    return this;
  }

  /**
   * A head without its id; of a long one at least the first `length` bytes. Throws {@link InvariantViolation}
   * where the bytes are none that were encoded.
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

  /** `view` and `source` are the same bytes. */
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
        // The match overlaps what it fills.
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

/** Of bytes that are added; NaN behind the end of the source. */
function lengthAt(source: Buffer, at: number): number {
  for (let length = 0; ;) {
    const byte = source[at++]!;
    length += byte;
    if (byte !== LENGTH_BYTE_MAX) return length;
  }
}

/** How many bytes follow a token for a length, that of the token included. */
function lengthBytes(length: number): number {
  return Math.floor((length - LENGTH_IN_TOKEN_MAX) / LENGTH_BYTE_MAX) + 1;
}

/** Lengths that are NaN are within nothing. */
function expectBoth(isOne: boolean, isOther: boolean): void {
  if (!isOne || !isOther) throw damaged();
}

function damaged(): InvariantViolation {
  return new InvariantViolation('a head is whole');
}
