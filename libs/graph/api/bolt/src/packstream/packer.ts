import { DomainError } from '#platform/foundation';
import { MARKER, TINY_INT_MAX, TINY_INT_MIN, TINY_SIZE_MAX } from './markers.ts';

/** The three widths of a size in front of a value, and the marker where the size fits into it. */
interface SizeMarkers {
  readonly tiny?: number;
  readonly of8: number;
  readonly of16: number;
  readonly of32: number;
}

const STRING: SizeMarkers = {
  tiny: MARKER.tinyString,
  of8: MARKER.string8,
  of16: MARKER.string16,
  of32: MARKER.string32,
};
const LIST: SizeMarkers = {
  tiny: MARKER.tinyList,
  of8: MARKER.list8,
  of16: MARKER.list16,
  of32: MARKER.list32,
};
const MAP: SizeMarkers = { tiny: MARKER.tinyMap, of8: MARKER.map8, of16: MARKER.map16, of32: MARKER.map32 };

const INITIAL_BYTES = 4_096;
const HEAD_BYTES_MAX = 9;
/** A message above it is refused: it would be held twice while it is sent. */
const MESSAGE_BYTES_MAX = 128 * 2 ** 20;
/** UTF-8 of a UTF-16 unit. */
const BYTES_PER_UNIT_MAX = 3;
/** A longer text is measured first, so that three times its length is not reserved. */
const MEASURED_UNITS = 1_024;

/** Writes values of PackStream into a growing buffer. */
export class Packer {
  #bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  #length = 0;
  /** Position at which the message in progress begins. */
  #start = 0;

  get length(): number {
    return this.#length;
  }

  /** What was written; valid until the next write or {@link reset}. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Marks the place that {@link truncate} returns to. */
  begin(): void {
    this.#start = this.#length;
  }

  /** Forgets what was written since {@link begin}. */
  truncate(): void {
    this.#length = this.#start;
  }

  reset(): void {
    this.#length = 0;
    this.#start = 0;
    if (this.#bytes.length > 16 * INITIAL_BYTES) this.#bytes = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  }

  null(): void {
    this.#byte(MARKER.null);
  }

  boolean(value: boolean): void {
    this.#byte(value ? MARKER.true : MARKER.false);
  }

  float(value: number): void {
    this.#reserve(HEAD_BYTES_MAX);
    this.#bytes[this.#length] = MARKER.float64;
    this.#length = this.#bytes.writeDoubleBE(value, this.#length + 1);
  }

  /** A 64-bit integer in its shortest form. */
  integer(value: bigint | number): void {
    const small = Number(value);
    if (small >= -(2 ** 31) && small < 2 ** 31) {
      this.#int32(small);
      return;
    }
    this.#reserve(HEAD_BYTES_MAX);
    this.#bytes[this.#length] = MARKER.int64;
    this.#length = this.#bytes.writeBigInt64BE(BigInt(value), this.#length + 1);
  }

  string(text: string): void {
    const unitsMax = text.length * BYTES_PER_UNIT_MAX;
    if (text.length > MEASURED_UNITS) {
      const size = Buffer.byteLength(text);
      this.#size(size, STRING);
      this.#reserve(size);
      this.#length += this.#bytes.write(text, this.#length);
      return;
    }
    this.#reserve(HEAD_BYTES_MAX + unitsMax);
    // Most texts are ASCII: then the head has the width of the text's length.
    const at = this.#length;
    const headBytes = text.length <= TINY_SIZE_MAX ? 1 : text.length <= 0xff ? 2 : 3;
    const size = this.#bytes.write(text, at + headBytes);
    if (size !== text.length) {
      this.#length = at;
      this.#size(size, STRING);
      this.#length += this.#bytes.write(text, this.#length);
      return;
    }
    this.#size(size, STRING);
    this.#length += size;
  }

  listHeader(size: number): void {
    this.#size(size, LIST);
  }

  mapHeader(size: number): void {
    this.#size(size, MAP);
  }

  structHeader(tag: number, fields: number): void {
    this.#byte(MARKER.tinyStruct | fields);
    this.#byte(tag);
  }

  /** Bytes that are packed already, or no part of a value, such as the head of a chunk. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  #int32(value: number): void {
    this.#reserve(HEAD_BYTES_MAX);
    if (value >= TINY_INT_MIN && value <= TINY_INT_MAX) {
      this.#length = this.#bytes.writeInt8(value, this.#length);
    } else if (value >= -0x80 && value < 0) {
      this.#bytes[this.#length] = MARKER.int8;
      this.#length = this.#bytes.writeInt8(value, this.#length + 1);
    } else if (value >= -0x8000 && value < 0x8000) {
      this.#bytes[this.#length] = MARKER.int16;
      this.#length = this.#bytes.writeInt16BE(value, this.#length + 1);
    } else {
      this.#bytes[this.#length] = MARKER.int32;
      this.#length = this.#bytes.writeInt32BE(value, this.#length + 1);
    }
  }

  #size(size: number, { tiny, of8, of16, of32 }: SizeMarkers): void {
    this.#reserve(HEAD_BYTES_MAX);
    if (tiny !== undefined && size <= TINY_SIZE_MAX) {
      this.#bytes[this.#length++] = tiny | size;
    } else if (size <= 0xff) {
      this.#bytes[this.#length] = of8;
      this.#length = this.#bytes.writeUInt8(size, this.#length + 1);
    } else if (size <= 0xffff) {
      this.#bytes[this.#length] = of16;
      this.#length = this.#bytes.writeUInt16BE(size, this.#length + 1);
    } else {
      this.#bytes[this.#length] = of32;
      this.#length = this.#bytes.writeUInt32BE(size, this.#length + 1);
    }
  }

  #byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    if (needed - this.#start > MESSAGE_BYTES_MAX) {
      throw new DomainError(
        'QUERY_TOO_LARGE',
        `expected a row of at most ${MESSAGE_BYTES_MAX / 2 ** 20} MiB: return less in one value`,
        { details: { limit: MESSAGE_BYTES_MAX } },
      );
    }
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.written);
    this.#bytes = grown;
  }
}
