import { isUtf8 } from 'node:buffer';
import { MARKER, TINY_INT_MIN } from './markers.ts';

/** Bytes that are no PackStream, or more than is allowed: the connection cannot go on. */
export class MalformedMessage extends Error {}

/** What the reader of a structure's fields makes of it. Throws to refuse the structure. */
export type StructureReader<T> = (tag: number, fields: readonly Unpacked<T>[]) => T;

/** A value as it arrives. Integers are bigints, floats numbers. */
export type Unpacked<T> =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | readonly Unpacked<T>[]
  | ReadonlyMap<string, Unpacked<T>>
  | T;

/** A message: a structure at the top. */
export interface UnpackedMessage<T> {
  readonly tag: number;
  readonly fields: readonly Unpacked<T>[];
}

/** Values inside each other: the recursion below stays far from the end of the stack. */
const DEPTH_MAX = 200;
/** Values of one message, of which each takes more memory than bytes. */
const VALUES_MAX = 4_000_000;
/** An empty map takes the memory of so many values. */
const VALUES_PER_MAP = 8;

/** Reads one message, which is complete. */
export class Unpacker<T> {
  readonly #bytes: Buffer;
  readonly #structure: StructureReader<T>;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(bytes: Buffer, structure: StructureReader<T>) {
    this.#bytes = bytes;
    this.#structure = structure;
  }

  /** Throws {@link MalformedMessage}, also for bytes after its end. */
  message(): UnpackedMessage<T> {
    const marker = this.#byte();
    if (marker >> 4 !== MARKER.tinyStruct >> 4) throw malformed('expected a structure', marker);
    const tag = this.#byte();
    const fields = this.#list(marker & 0xf);
    if (this.#at < this.#bytes.length) throw new MalformedMessage('expected no bytes after the message');
    return { tag, fields };
  }

  #value(): Unpacked<T> {
    this.#requireRoom(1);
    this.#values++;
    const marker = this.#byte();
    if (marker < MARKER.tinyString) return BigInt(marker);
    if (marker >= 0x100 + TINY_INT_MIN) return BigInt(marker - 0x100);
    const size = marker & 0xf;
    switch (marker & 0xf0) {
      case MARKER.tinyString:
        return this.#string(size);
      case MARKER.tinyList:
        return this.#list(size);
      case MARKER.tinyMap:
        return this.#map(size);
      case MARKER.tinyStruct:
        return this.#struct(size);
      default:
        return marker === MARKER.null ? null : (this.#scalar(marker) ?? this.#sized(marker));
    }
  }

  /** Undefined for a kind with a size. */
  #scalar(marker: number): boolean | bigint | number | undefined {
    switch (marker) {
      case MARKER.false:
        return false;
      case MARKER.true:
        return true;
      case MARKER.float64:
        return this.#bytes.readDoubleBE(this.#take(8));
      case MARKER.int8:
        return BigInt(this.#bytes.readInt8(this.#take(1)));
      case MARKER.int16:
        return BigInt(this.#bytes.readInt16BE(this.#take(2)));
      case MARKER.int32:
        return BigInt(this.#bytes.readInt32BE(this.#take(4)));
      case MARKER.int64:
        return this.#bytes.readBigInt64BE(this.#take(8));
      default:
        return undefined;
    }
  }

  #sized(marker: number): Unpacked<T> {
    switch (marker) {
      case MARKER.string8:
      case MARKER.string16:
      case MARKER.string32:
        return this.#string(this.#size(marker - MARKER.string8));
      case MARKER.bytes8:
      case MARKER.bytes16:
      case MARKER.bytes32:
        return this.#blob(this.#size(marker - MARKER.bytes8));
      case MARKER.list8:
      case MARKER.list16:
      case MARKER.list32:
        return this.#list(this.#size(marker - MARKER.list8));
      case MARKER.map8:
      case MARKER.map16:
      case MARKER.map32:
        return this.#map(this.#size(marker - MARKER.map8));
      default:
        throw malformed('expected a value', marker);
    }
  }

  /** `width`: 0 for one byte, 1 for two, 2 for four. */
  #size(width: number): number {
    if (width === 0) return this.#byte();
    return width === 1 ? this.#bytes.readUInt16BE(this.#take(2)) : this.#bytes.readUInt32BE(this.#take(4));
  }

  #string(size: number): string {
    const start = this.#take(size);
    const bytes = this.#bytes.subarray(start, start + size);
    if (!isUtf8(bytes)) throw new MalformedMessage('expected UTF-8 in a text');
    return bytes.toString('utf8');
  }

  #blob(size: number): Uint8Array {
    const start = this.#take(size);
    return this.#bytes.subarray(start, start + size);
  }

  #list(size: number): Unpacked<T>[] {
    this.#requireItems(size, 1);
    this.#requireRoom(size);
    this.#deeper();
    const items = Array.from({ length: size }, () => this.#value());
    this.#depth--;
    return items;
  }

  #map(size: number): ReadonlyMap<string, Unpacked<T>> {
    this.#requireItems(size, 2);
    this.#requireRoom(VALUES_PER_MAP);
    this.#values += VALUES_PER_MAP;
    this.#deeper();
    const map = new Map<string, Unpacked<T>>();
    for (let count = 0; count < size; count++) {
      const key = this.#value();
      if (typeof key !== 'string') throw new MalformedMessage('expected a text as the key of a map');
      if (map.has(key)) throw new MalformedMessage('expected the keys of a map to differ');
      map.set(key, this.#value());
    }
    this.#depth--;
    return map;
  }

  #struct(size: number): T {
    const tag = this.#byte();
    return this.#structure(tag, this.#list(size));
  }

  /** A size that the message cannot have is refused before anything is reserved for it. */
  #requireItems(size: number, bytesEach: number): void {
    if (size * bytesEach > this.#bytes.length - this.#at) throw endsEarly();
  }

  #requireRoom(values: number): void {
    if (this.#values + values <= VALUES_MAX) return;
    throw new MalformedMessage(`expected at most ${VALUES_MAX} values in a message`);
  }

  #deeper(): void {
    if (++this.#depth > DEPTH_MAX) {
      throw new MalformedMessage(`expected at most ${DEPTH_MAX} values inside each other`);
    }
  }

  #byte(): number {
    return this.#bytes.readUInt8(this.#take(1));
  }

  /** The place of the next bytes, which are taken. */
  #take(count: number): number {
    const start = this.#at;
    if (start + count > this.#bytes.length) throw endsEarly();
    this.#at = start + count;
    return start;
  }
}

function endsEarly(): MalformedMessage {
  return new MalformedMessage('the message ends inside a value');
}

function malformed(expectation: string, marker: number): MalformedMessage {
  return new MalformedMessage(`${expectation}, got the byte 0x${marker.toString(16).padStart(2, '0')}`);
}
