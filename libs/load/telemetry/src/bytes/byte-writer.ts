/** Appends little-endian values to a growing buffer. *Hot path*: no DataView except for f64. */
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

  /** Replaces four written bytes. */
  setU32(at: number, value: number): void {
    this.#view.setUint32(at, value, true);
  }

  /** A whole number from 0 to 2^53 as a varint: seven bits per byte, least significant first. */
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

  /** Appends `count` bytes with undefined content; returns a view that is valid until the next call. */
  room(count: number): Uint8Array {
    const at = this.#reserve(count);
    this.#end = at + count;
    return this.#bytes.subarray(at, this.#end);
  }

  /** A view of all written bytes. */
  written(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  get length(): number {
    return this.#end;
  }

  /** Starts again in the same memory: views returned by {@link written} are overwritten. */
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

/** Uninitialised bytes, not as a Buffer, whose `slice` would return a view. */
function uninitialised(bytes: number): Uint8Array {
  return new Uint8Array(Buffer.allocUnsafeSlow(bytes).buffer);
}
