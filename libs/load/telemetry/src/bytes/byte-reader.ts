/** Reads little-endian values from untrusted bytes. Reading beyond the end throws WIRE_FORMAT. */
import { DomainError } from '#platform/foundation';

export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  u8(what: string): number {
    return this.#view.getUint8(this.#take(1, what));
  }

  u32(what: string): number {
    return this.#view.getUint32(this.#take(4, what), true);
  }

  /** Exact below 2^53. */
  u64(what: string): number {
    return this.u32(what) + this.u32(what) * 2 ** 32;
  }

  f64(what: string): number {
    return this.#view.getFloat64(this.#take(8, what), true);
  }

  /** A varint: seven bits per byte, least significant first; exact below 2^53. */
  varint(what: string): number {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 49; scale *= 128) {
      const byte = this.u8(what);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw wireFault(`expected an end of ${what}`);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** A view of the next bytes. */
  bytes(count: number, what: string): Uint8Array {
    const at = this.#take(count, what);
    return this.#bytes.subarray(at, at + count);
  }

  /** A u32 of at most `most`. */
  countUpTo(most: number, what: string): number {
    const count = this.u32(what);
    if (count > most) throw wireFault(`expected at most ${most} as ${what}, got ${count}`);
    return count;
  }

  #take(count: number, what: string): number {
    const at = this.#at;
    const left = this.#bytes.length - at;
    const isThere = count >= 0 && count <= left;
    if (!isThere) throw wireFault(`expected ${count} bytes of ${what} at byte ${at}, got ${left}`);
    this.#at = at + count;
    return at;
  }
}

export function wireFault(message: string): DomainError {
  return new DomainError('WIRE_FORMAT', message);
}

/** A signed number as a zigzag varint. Exact within ±2^53. *Hot path*. */
export function readZigzag(from: ByteReader): number {
  // Decoding the doubled number would be inexact: the first byte holds the sign bit and six more bits.
  const lowest = from.u8('a number');
  const rest = lowest >= 0x80 ? from.varint('a number') : 0;
  const magnitude = ((lowest & 0x7f) >>> 1) + rest * 64;
  return (lowest & 1) === 1 ? -magnitude - 1 : magnitude;
}
