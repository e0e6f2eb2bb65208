import { DomainError } from '#platform/foundation';

/** Reads the output of `RecordWriter`. Reading past the end throws STORE_CORRUPT. */
export class RecordReader {
  at = 0;
  readonly #buffer: Buffer;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u8(): number {
    return this.#buffer.readUInt8(this.#take(1));
  }

  u16(): number {
    return this.#buffer.readUInt16LE(this.#take(2));
  }

  u32(): number {
    return this.#buffer.readUInt32LE(this.#take(4));
  }

  f64(): number {
    return this.#buffer.readDoubleLE(this.#take(8));
  }

  shortText(): string {
    const length = this.u16();
    const start = this.#take(length);
    return this.#buffer.toString('utf8', start, start + length);
  }

  /** A view of the next bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#take(length);
    return this.#buffer.subarray(start, start + length);
  }

  /** A view of the remaining bytes. */
  rest(): Uint8Array {
    return this.bytes(this.#buffer.length - this.at);
  }

  #take(bytes: number): number {
    const start = this.at;
    if (start + bytes > this.#buffer.length) {
      throw new DomainError('STORE_CORRUPT', 'a record ends before its last field');
    }
    this.at += bytes;
    return start;
  }
}
