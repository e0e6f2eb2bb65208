/**
 * The large arrays of a base, by number. A base is a plain object with a bag, so that one format serves
 * workers and images.
 */
import { SharedSlabs } from '#platform/foundation';

export type UnsignedArray = Uint8Array | Uint16Array | Uint32Array;

/** A part with the narrowest item type for its values. */
export interface PartRef {
  readonly part: number;
  readonly itemBytes: 1 | 2 | 4;
}

/** Small parts share buffers of these sizes (ADR 0247). */
const SLAB_BYTES_FIRST = 16 * 1024;
const SLAB_BYTES_MAX = 4 * 1024 * 1024;

export class BufferBag {
  readonly buffers: Uint8Array[];
  readonly #slabs = new SharedSlabs(SLAB_BYTES_FIRST, SLAB_BYTES_MAX);

  constructor(buffers: readonly Uint8Array[] = []) {
    this.buffers = [...buffers];
  }

  /** Allocates shared memory for `length` items; its part number is `bag.buffers.length - 1`. */
  uint32(length: number): Uint32Array {
    const { buffer, byteOffset } = this.#add(length * 4);
    return new Uint32Array(buffer, byteOffset, length);
  }

  uint16(length: number): Uint16Array {
    const { buffer, byteOffset } = this.#add(length * 2);
    return new Uint16Array(buffer, byteOffset, length);
  }

  uint8(length: number): Uint8Array {
    return this.#add(length);
  }

  float64(length: number): Float64Array {
    const { buffer, byteOffset } = this.#add(length * 8);
    return new Float64Array(buffer, byteOffset, length);
  }

  /** Allocates `length` values up to `max`. */
  unsigned(length: number, max: number): UnsignedArray {
    if (max < 2 ** 8) return this.uint8(length);
    return max < 2 ** 16 ? this.uint16(length) : this.uint32(length);
  }

  /** The reference to the last added part. */
  refOf(array: UnsignedArray): PartRef {
    return { part: this.last, itemBytes: array.BYTES_PER_ELEMENT as 1 | 2 | 4 };
  }

  asUnsigned({ part, itemBytes }: PartRef): UnsignedArray {
    if (itemBytes === 1) return this.asUint8(part);
    return itemBytes === 2 ? this.asUint16(part) : this.asUint32(part);
  }

  /** The number of the last added part. */
  get last(): number {
    return this.buffers.length - 1;
  }

  put(bytes: Uint8Array): number {
    return this.buffers.push(bytes) - 1;
  }

  asUint32(part: number): Uint32Array {
    const bytes = this.#aligned(part, 4);
    return new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  asUint16(part: number): Uint16Array {
    const bytes = this.#aligned(part, 2);
    return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 2);
  }

  asUint8(part: number): Uint8Array {
    return this.#aligned(part, 1);
  }

  /** Allocates bytes that are also readable as words. */
  asUint32Bytes(part: number): Uint8Array {
    return this.#aligned(part, 4);
  }

  asFloat64(part: number): Float64Array {
    const bytes = this.#aligned(part, 8);
    return new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
  }

  get byteLength(): number {
    return this.buffers.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  }

  #add(bytes: number): Uint8Array {
    const part = this.#slabs.take(bytes);
    this.buffers.push(part);
    return part;
  }

  /** The part; copied if its items are not aligned. */
  #aligned(part: number, itemBytes: number): Uint8Array {
    const bytes = this.buffers[part];
    if (bytes === undefined || bytes.byteLength % itemBytes !== 0)
      throw new RangeError(`no part ${String(part)}`);
    if (bytes.byteOffset % itemBytes === 0) return bytes;
    const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength));
    copy.set(bytes);
    this.buffers[part] = copy;
    return copy;
  }
}
