/**
 * Compresses each head separately against a dictionary, in the format of {@link HeadWindow}.
 * *Hot path* of sealing.
 *
 * Greedy: at each position it takes the longest match of the last positions in the dictionary, and the last
 * one in the body, that start with the same four bytes.
 */
import { BODY_AT, LENGTH_BYTE_MAX, LENGTH_IN_TOKEN_MAX, MATCH_MIN } from './head-window.ts';

const DICTIONARY_BITS = 13;
const BODY_BITS = 12;
const PLACES_TRIED = 4;
const DISTANCE_MAX = 65_535;
const HASH_FACTOR = 0x9e37_79b1;
const ROOM_BYTES = 4_096;
/** Maximum sizes: of a length in additional bytes, and of a sequence without its literals. */
const OVERHEAD_BYTES = 16;
const CLOCK_MAX = 2 ** 30;

export class HeadEncoder {
  readonly dictionary: Uint8Array;
  /** For each hash, one past its last position in the dictionary; 0: none. */
  readonly #places = new Int32Array(2 ** DICTIONARY_BITS);
  /** For each position, one past the previous position with the same hash. */
  readonly #before: Int32Array;
  /** For each hash, its last position in a body, counted over all bodies. */
  readonly #bodyPlaces = new Int32Array(2 ** BODY_BITS);
  #clock = 1;
  /** The dictionary, space for an id, and the body. */
  #window: Buffer;
  #view: DataView;
  #out = Buffer.allocUnsafeSlow(ROOM_BYTES);
  #length = 0;
  #matchAt = 0;

  constructor(dictionary: Uint8Array) {
    this.dictionary = dictionary;
    this.#before = new Int32Array(dictionary.length);
    this.#window = Buffer.alloc(dictionary.length + BODY_AT + ROOM_BYTES);
    this.#window.set(dictionary);
    this.#view = viewOf(this.#window);
    for (let place = 0; place + MATCH_MIN <= dictionary.length; place++) {
      const hash = hashOf(this.#view.getUint32(place, true)) >>> (32 - DICTIONARY_BITS);
      this.#before[place] = this.#places[hash]!;
      this.#places[hash] = place + 1;
    }
  }

  /** Encodes the head `bytes[start, end)` without its id; valid until the next call. */
  encode(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const from = this.#load(bytes, start + BODY_AT, end);
    const stop = from + end - start - BODY_AT;
    this.#putVarint(stop - from);
    let literals = from;
    for (let at = from; at + MATCH_MIN <= stop;) {
      const length = this.#longestMatch(at, from, stop);
      if (length === 0) at++;
      else {
        this.#putSequence(literals, at, length);
        at += length;
        literals = at;
      }
    }
    if (literals < stop) this.#putSequence(literals, stop, 0);
    this.#clock += stop - from;
    return this.#out.subarray(0, this.#length);
  }

  /** Returns the position of the body in the window. */
  #load(bytes: Uint8Array, start: number, end: number): number {
    const from = this.dictionary.length + BODY_AT;
    const length = end - start;
    if (from + length > this.#window.length) {
      this.#window = Buffer.alloc((from + length) * 2);
      this.#window.set(this.dictionary);
      this.#view = viewOf(this.#window);
    }
    const most = length + Math.ceil(length / LENGTH_BYTE_MAX) + 2 * OVERHEAD_BYTES;
    if (most > this.#out.length) this.#out = Buffer.allocUnsafeSlow(most * 2);
    if (this.#clock > CLOCK_MAX) {
      this.#bodyPlaces.fill(0);
      this.#clock = 1;
    }
    this.#window.set(bytes.subarray(start, end), from);
    this.#length = 0;
    return from;
  }

  /** The length of the longest match at `at`; 0: none. Stores its position. */
  #longestMatch(at: number, from: number, stop: number): number {
    const hash = hashOf(this.#view.getUint32(at, true));
    const bodyHash = hash >>> (32 - BODY_BITS);
    const own = this.#bodyPlaces[bodyHash]! - this.#clock;
    this.#bodyPlaces[bodyHash] = this.#clock + at - from;
    let longest = 0;
    if (own >= 0 && at - from - own <= DISTANCE_MAX) {
      longest = this.#sameBytes(from + own, at, stop);
      this.#matchAt = from + own;
    }
    let place = this.#places[hash >>> (32 - DICTIONARY_BITS)]! - 1;
    for (let tried = 0; place >= 0 && at - place <= DISTANCE_MAX && tried < PLACES_TRIED; tried++) {
      if (this.#window[place + longest] === this.#window[at + longest]) {
        const length = this.#sameBytes(place, at, Math.min(stop, at + this.dictionary.length - place));
        if (length > longest) {
          longest = length;
          this.#matchAt = place;
        }
      }
      place = this.#before[place]! - 1;
    }
    return longest < MATCH_MIN ? 0 : longest;
  }

  #sameBytes(place: number, at: number, stop: number): number {
    const window = this.#window;
    let end = at;
    while (end < stop && window[place] === window[end]) {
      place++;
      end++;
    }
    return end - at;
  }

  /** Writes the literals up to `at`, and the match found there unless its length is 0. */
  #putSequence(literals: number, at: number, matchLength: number): void {
    const out = this.#out;
    const count = at - literals;
    const rest = Math.max(0, matchLength - MATCH_MIN);
    out[this.#length++] = (Math.min(count, LENGTH_IN_TOKEN_MAX) << 4) | Math.min(rest, LENGTH_IN_TOKEN_MAX);
    if (count >= LENGTH_IN_TOKEN_MAX) this.#putLength(count - LENGTH_IN_TOKEN_MAX);
    for (let from = literals; from < at; from++) out[this.#length++] = this.#window[from]!;
    if (matchLength === 0) return;
    const distance = at - this.#matchAt;
    out[this.#length++] = distance & 255;
    out[this.#length++] = distance >>> 8;
    if (rest >= LENGTH_IN_TOKEN_MAX) this.#putLength(rest - LENGTH_IN_TOKEN_MAX);
  }

  #putLength(length: number): void {
    for (; length >= LENGTH_BYTE_MAX; length -= LENGTH_BYTE_MAX) this.#out[this.#length++] = LENGTH_BYTE_MAX;
    this.#out[this.#length++] = length;
  }

  #putVarint(value: number): void {
    for (; value > 127; value = Math.floor(value / 128)) this.#out[this.#length++] = (value % 128) | 128;
    this.#out[this.#length++] = value;
  }
}

function hashOf(word: number): number {
  return Math.imul(word, HASH_FACTOR);
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
