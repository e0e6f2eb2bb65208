const INITIAL_BYTES = 4_096;
const BYTES_PER_UTF16_UNIT_MAX = 3;
const SHORT_LENGTH_MAX = 64;
const FIRST_NOT_ASCII = 0x80;
const NOT_ASCII = -1;

export interface BufferSlice {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Writes little-endian values to a growing buffer, which is reused for each record. */
export class RecordWriter {
  length = 0;
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);

  reset(): this {
    this.length = 0;
    return this;
  }

  /** The written bytes: a view, valid until the next write. */
  view(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  copy(): Uint8Array {
    return Uint8Array.prototype.slice.call(this.#buffer, 0, this.length);
  }

  u8(value: number): this {
    this.#reserve(1);
    this.#buffer[this.length++] = value;
    return this;
  }

  u16(value: number): this {
    this.#reserve(2);
    this.length = this.#buffer.writeUInt16LE(value, this.length);
    return this;
  }

  u32(value: number): this {
    this.#reserve(4);
    this.length = this.#buffer.writeUInt32LE(value, this.length);
    return this;
  }

  /** Overwrites the bytes at `at`. */
  setU32(at: number, value: number): this {
    this.#buffer.writeUInt32LE(value, at);
    return this;
  }

  f64(value: number): this {
    this.#reserve(8);
    this.length = this.#buffer.writeDoubleLE(value, this.length);
    return this;
  }

  bytes(value: Uint8Array): this {
    this.#reserve(value.length);
    this.#buffer.set(value, this.length);
    this.length += value.length;
    return this;
  }

  /** The same for a part of a buffer, without an object for that part. */
  slice({ bytes, start, end }: BufferSlice): this {
    this.#reserve(end - start);
    this.length += bytes.copy(this.#buffer, this.length, start, end);
    return this;
  }

  /** UTF-8 without a length. Short ASCII text, the usual case, is faster without a call of the runtime. */
  text(value: string): this {
    this.#reserve(value.length * BYTES_PER_UTF16_UNIT_MAX);
    const isShort = value.length <= SHORT_LENGTH_MAX;
    const length = isShort ? this.#ascii(value) : NOT_ASCII;
    this.length += length === NOT_ASCII ? this.#buffer.write(value, this.length, 'utf8') : length;
    return this;
  }

  /** UTF-8 after its length in two bytes. */
  shortText(value: string): this {
    const start = this.length;
    this.u16(0).text(value);
    this.#buffer.writeUInt16LE(this.length - start - 2, start);
    return this;
  }

  /** Returns the length, or {@link NOT_ASCII}. The buffer must have room. */
  #ascii(value: string): number {
    const buffer = this.#buffer;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      if (code >= FIRST_NOT_ASCII) return NOT_ASCII;
      buffer[this.length + at] = code;
    }
    return value.length;
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
  }
}
