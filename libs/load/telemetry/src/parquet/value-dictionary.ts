import { assert } from '#platform/foundation';
import { FixedDictionary } from '../builder/fixed-dictionary.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';

/** The distinct values of a column chunk, numbered in the order of first occurrence. */
export interface ValueDictionary {
  readonly size: number;
  /** Size of the values in plain encoding. */
  readonly byteLength: number;
  /** Maps the codes of a batch's column to codes of this dictionary. Adds new values. */
  codesOf(column: Column): Int32Array;
  /** Appends the value in plain encoding. */
  writePlain(out: ByteWriter, code: number): void;
  clear(): void;
}

/** The prefix of hexadecimal text, in ASCII. */
export const HEX_PREFIX = Buffer.from('0x');

/** Fills `room` with the hexadecimal digits of `bytes`, two per byte. Twice as fast as a loop. */
export function fillHex(room: Uint8Array, bytes: Uint8Array): void {
  viewOf(room).write(viewOf(bytes).toString('hex'), 'latin1');
}

function viewOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

const LENGTH_BYTES = 4;

/** Addresses: raw bytes for look-ups, hexadecimal text in the file. */
export class AddressValues implements ValueDictionary {
  readonly #width: number;
  readonly #textBytes: number;
  readonly #values: FixedDictionary;

  constructor(width: number) {
    this.#width = width;
    this.#textBytes = HEX_PREFIX.length + width * 2;
    this.#values = new FixedDictionary(width);
  }

  get size(): number {
    return this.#values.size;
  }

  get byteLength(): number {
    return this.#values.size * (LENGTH_BYTES + this.#textBytes);
  }

  codesOf(column: Column): Int32Array {
    assert(column.form === 'fixed' && column.width === this.#width, 'expected addresses');
    const words = new Int32Array(column.bytes.length / 4);
    new Uint8Array(words.buffer).set(column.bytes);
    const width = this.#width / 4;
    const codes = new Int32Array(words.length / width);
    for (let code = 0; code < codes.length; code++) codes[code] = this.#values.codeOf(words, code * width);
    return codes;
  }

  writePlain(out: ByteWriter, code: number): void {
    out.u32(this.#textBytes);
    out.bytes(HEX_PREFIX);
    const start = code * this.#width;
    fillHex(out.room(this.#width * 2), this.#values.bytes.subarray(start, start + this.#width));
  }

  clear(): void {
    this.#values.clear();
  }
}

export class TextValues implements ValueDictionary {
  readonly #codeOf = new Map<string, number>();
  #texts: Uint8Array[] = [];
  byteLength = 0;

  get size(): number {
    return this.#texts.length;
  }

  codesOf(column: Column): Int32Array {
    assert(column.form === 'text', 'expected texts');
    return Int32Array.from(column.texts, (text) => this.#codeOf.get(text) ?? this.#add(text));
  }

  writePlain(out: ByteWriter, code: number): void {
    const text = this.#texts[code];
    assert(text !== undefined, 'expected a code of the dictionary');
    out.u32(text.length);
    out.bytes(text);
  }

  clear(): void {
    this.#codeOf.clear();
    this.#texts = [];
    this.byteLength = 0;
  }

  #add(text: string): number {
    const bytes = Buffer.from(text);
    const code = this.#texts.push(bytes) - 1;
    this.#codeOf.set(text, code);
    this.byteLength += LENGTH_BYTES + bytes.length;
    return code;
  }
}
