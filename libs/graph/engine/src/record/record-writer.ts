const INITIAL_BYTES = 4_096;
const BYTES_PER_UTF16_UNIT_MAX = 3;

/** Little-endian bytes into one growing buffer, used again for each record. */
export class RecordWriter {
  length = 0;
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);

  reset(): this {
    this.length = 0;
    return this;
  }

  /** What was written, until the next write: a view, not a copy. */
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

  /** UTF-8 without a length. */
  text(value: string): this {
    this.#reserve(value.length * BYTES_PER_UTF16_UNIT_MAX);
    this.length += this.#buffer.write(value, this.length, 'utf8');
    return this;
  }

  /** UTF-8 behind its length in two bytes. */
  shortText(value: string): this {
    const start = this.length;
    this.u16(0).text(value);
    this.#buffer.writeUInt16LE(this.length - start - 2, start);
    return this;
  }

  #reserve(bytes: number): void {
    const needed = this.length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(needed, this.#buffer.length * 2));
    grown.set(this.#buffer.subarray(0, this.length));
    this.#buffer = grown;
  }
}
