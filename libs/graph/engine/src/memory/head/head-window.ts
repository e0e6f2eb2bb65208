/**
 * Reads heads that lie compressed, each alone, against a dictionary (ADR 0229). On the *hot path* of every
 * read.
 *
 *   head       varint: bytes of the body; then the body as sequences, the last of which may end with its
 *              literals
 *   body       the head without {"id":"<32 hex>, which is kept apart as four words
 *   sequence   u8 token: length of the literals (4 bits), length of the match less 4 (4 bits); 15: bytes
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

export const MATCH_MIN = 4;
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
    this.end = this.#decode(source, arena.view(reference), at, to);
    return this;
  }

  copy(): Buffer {
    return Buffer.from(this.bytes.subarray(this.start, this.end));
  }

  text(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }

  #decode(source: Buffer, view: DataView, from: number, to: number): number {
    const full = this.#full;
    const wanted = this.#wanted;
    let at = from;
    let out = this.#bodyAt;
    while (out < wanted) {
      const token = source[at++]!;
      let literals = token >>> 4;
      if (literals === LENGTH_IN_TOKEN_MAX) {
        const more = lengthAt(source, at);
        literals += more;
        at += lengthBytes(more);
      }
      if (!(out + literals <= full && at + literals <= to)) throw damaged();
      this.#copyLiterals(view, at, out, literals);
      out += literals;
      at += literals;
      if (out >= wanted) break;
      const distance = source[at]! | (source[at + 1]! << 8);
      at += 2;
      let match = token & LENGTH_IN_TOKEN_MAX;
      if (match === LENGTH_IN_TOKEN_MAX) {
        const more = lengthAt(source, at);
        match += more;
        at += lengthBytes(more);
      }
      match += MATCH_MIN;
      if (!(at <= to && out + match <= full && distance <= out)) throw damaged();
      this.#copyMatch(distance, out, match);
      out += match;
    }
    return out;
  }

  #copyLiterals(view: DataView, at: number, out: number, length: number): void {
    if (at + length + COPIED_AT_ONCE <= view.byteLength) {
      for (let done = 0; done < length; done += COPIED_AT_ONCE)
        this.#view.setBigUint64(out + done, view.getBigUint64(at + done, true), true);
    } else {
      for (let done = 0; done < length; done++) this.bytes[out + done] = view.getUint8(at + done);
    }
  }

  /** The match may overlap what it fills. */
  #copyMatch(distance: number, out: number, length: number): void {
    const from = out - distance;
    if (distance >= COPIED_AT_ONCE) {
      const view = this.#view;
      for (let done = 0; done < length; done += COPIED_AT_ONCE)
        view.setBigUint64(out + done, view.getBigUint64(from + done, true), true);
    } else {
      for (let done = 0; done < length; done++) this.bytes[out + done] = this.bytes[from + done]!;
    }
  }

  #makeRoom(bytes: number): void {
    const room = Buffer.alloc(Math.max(bytes, this.#bodyAt + ROOM_BYTES, this.bytes.length * 2));
    room.set(this.#dictionary);
    room.set(ID_LABEL, this.start);
    this.bytes = room;
    this.#view = new DataView(room.buffer, room.byteOffset, room.byteLength);
  }
}

/** NaN behind the end of the source. */
function lengthAt(source: Buffer, at: number): number {
  for (let length = 0; ;) {
    const byte = source[at++]!;
    length += byte;
    if (byte !== LENGTH_BYTE_MAX) return length;
  }
}

function lengthBytes(length: number): number {
  return Math.floor(length / LENGTH_BYTE_MAX) + 1;
}

function damaged(): InvariantViolation {
  return new InvariantViolation('a head is whole');
}
