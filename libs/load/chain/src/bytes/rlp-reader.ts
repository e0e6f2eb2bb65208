/**
 * Hot path: reads RLP in place, as strictly as geth: lengths have their shortest form, integers no leading
 * zeros, and no bytes follow the end. Results are views of the input.
 */
import { wireFault } from './hex.ts';

const STRING = 0x80;
const LONG_STRING = 0xb7;
const LIST = 0xc0;
const LONG_LIST = 0xf7;
const SHORT_MAX = 55;
const LENGTH_BYTES_MAX = 4;

export class RlpReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, from = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#at = from;
    this.#end = end;
  }

  /** Offset of the next item. */
  get at(): number {
    return this.#at;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end;
  }

  /** A reader of the items of a list. */
  list(): RlpReader {
    const first = this.#first();
    if (first < LIST) throw wireFault(`expected a list at byte ${this.#at}, got a string`);
    const length = this.#length(first, LIST, LONG_LIST);
    const from = this.#at;
    this.#at += length;
    return new RlpReader(this.#bytes, from, this.#at);
  }

  string(): Uint8Array {
    const first = this.#first();
    if (first >= LIST) throw wireFault(`expected a string at byte ${this.#at}, got a list`);
    if (first < STRING) return this.#bytes.subarray(this.#at, ++this.#at);
    const length = this.#length(first, STRING, LONG_STRING);
    const value = this.#bytes.subarray(this.#at, this.#at + length);
    if (length === 1 && value[0]! < STRING)
      throw wireFault(`expected the shortest form before byte ${this.#at}`);
    this.#at += length;
    return value;
  }

  /** A string of exactly `length` bytes. */
  fixed(length: number): Uint8Array {
    const value = this.string();
    if (value.length !== length) throw wireFault(`expected ${length} bytes, got ${value.length}`);
    return value;
  }

  /** The bytes of an integer, without leading zeros. */
  uintBytes(bytesMax: number): Uint8Array {
    const value = this.string();
    if (value.length > bytesMax) {
      throw wireFault(`expected an integer of at most ${bytesMax} bytes, got ${value.length}`);
    }
    if (value[0] === 0) throw wireFault('expected an integer without leading zeros');
    return value;
  }

  uint(bytesMax: number): bigint {
    const bytes = this.uintBytes(bytesMax);
    if (bytes.length > 6) return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
    let value = 0;
    for (const byte of bytes) value = value * 256 + byte;
    return BigInt(value);
  }

  /** Throws unless all bytes are read. */
  end(): void {
    if (!this.isAtEnd) throw wireFault(`expected ${this.#at} bytes, got ${this.#end - this.#at} more`);
  }

  #first(): number {
    if (this.isAtEnd) throw wireFault(`expected an item at byte ${this.#at}, got the end`);
    return this.#bytes[this.#at]!;
  }

  /**
   * Reads the header of the item that starts with `first`. Returns the length of its body, which is complete.
   */
  #length(first: number, short: number, long: number): number {
    this.#at++;
    const length = first <= short + SHORT_MAX ? first - short : this.#longLength(first - long);
    if (length > this.#end - this.#at) {
      throw wireFault(`expected ${length} bytes from byte ${this.#at}, got ${this.#end - this.#at}`);
    }
    return length;
  }

  #longLength(count: number): number {
    if (count > LENGTH_BYTES_MAX || count > this.#end - this.#at) {
      throw wireFault(`expected a length of at most ${LENGTH_BYTES_MAX} bytes within the item, got ${count}`);
    }
    let length = 0;
    for (let i = 0; i < count; i++) length = length * 256 + this.#bytes[this.#at + i]!;
    if (length <= SHORT_MAX || this.#bytes[this.#at] === 0)
      throw wireFault('expected the shortest form of a length');
    this.#at += count;
    return length;
  }
}
