/** Little-endian values behind each other in one growing buffer. *Hot path*: no DataView but for f64. */
const INITIAL_BYTES = 4 * 1024;

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #end = 0;

  constructor(initialBytes = INITIAL_BYTES) {
    this.#bytes = uninitialised(initialBytes);
    this.#view = new DataView(this.#bytes.buffer);
  }

  u8(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#end++] = value;
  }

  u32(value: number): void {
    const at = this.#reserve(4);
    this.#bytes[at] = value;
    this.#bytes[at + 1] = value >>> 8;
    this.#bytes[at + 2] = value >>> 16;
    this.#bytes[at + 3] = value >>> 24;
    this.#end = at + 4;
  }

  /** Exact below 2^53. */
  u64(value: number): void {
    this.u32(value % 2 ** 32);
    this.u32(Math.floor(value / 2 ** 32));
  }

  f64(value: number): void {
    const at = this.#reserve(8);
    this.#view.setFloat64(at, value, true);
    this.#end = at + 8;
  }

  /** Replaces four bytes that were written. */
  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** A whole number from 0 to 2^53, seven bits a byte, the lowest first. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.u8((rest % 0x80) + 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.u8(rest);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length);
    this.#bytes.set(bytes, at);
    this.#end = at + bytes.length;
  }

  /** Room for `count` bytes, with anything in it; a view that lasts until the next call. */
  room(count: number): Uint8Array {
    const at = this.#reserve(count);
    this.#end = at + count;
    return this.#bytes.subarray(at, this.#end);
  }

  /** All that was written. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  get length(): number {
    return this.#end;
  }

  /** Begins anew in the same memory: what {@link written} gave is overwritten. */
  reset(): void {
    this.#end = 0;
  }

  #reserve(count: number): number {
    if (this.#end + count > this.#bytes.length) this.#grow(this.#end + count);
    return this.#end;
  }

  #grow(bytes: number): void {
    const grown = uninitialised(Math.max(bytes, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#end));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

/** No Buffer, whose `slice` would be a view. */
function uninitialised(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
