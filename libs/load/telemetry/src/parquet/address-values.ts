import { assert } from '#platform/foundation';
import { FixedDictionary } from '../builder/fixed-dictionary.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { Column } from '../table/table-batch.ts';
import { fillHex, HEX_PREFIX } from './hexadecimal.ts';
import type { ValueDictionary } from './value-dictionary.ts';

const LENGTH_BYTES = 4;

/** Addresses, raw while they are looked up, and hexadecimal when they are written. */
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
