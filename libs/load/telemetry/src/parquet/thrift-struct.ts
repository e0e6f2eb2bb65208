/**
 * A reader of Thrift's compact protocol, the encoding of Parquet's metadata. Source: apache/thrift,
 * thrift-compact-protocol.md.
 *
 *   struct   fields, then 0; a field is a byte `id difference << 4 | type`, and its value; with a difference
 *            of 0 the id follows that byte, zigzag
 *   1, 2     true, false         3  a byte           4, 5, 6  16, 32, 64 bits as zigzag varint
 *   7        double              8  varint length, bytes
 *   9, 10    list, set: a byte `size << 4 | type`, with size 15 the size as varint; elements
 *   11       map: size as varint, unless it is 0 a byte `key type << 4 | value type`; keys and values in turn
 *   12       struct
 *
 * The bytes may be damaged: a list with more elements than remaining bytes is rejected. (The reader of
 * parquetjs-lite has no such check; one flipped bit was observed to cost it minutes.)
 */
import { type ByteReader, readZigzag, wireFault } from '../bytes/byte-reader.ts';

type Value = number | boolean | Uint8Array | readonly Value[] | ThriftStruct;

const TYPE = {
  true: 1,
  false: 2,
  byte: 3,
  i64: 6,
  double: 7,
  bytes: 8,
  list: 9,
  set: 10,
  map: 11,
  struct: 12,
} as const;
/** Maximum nesting. Parquet's metadata has five levels. */
const DEPTH_MAX = 16;
const LONG_LIST = 15;
const DECODER = new TextDecoder();

/** Fields by their ids. A missing field throws WIRE_FORMAT. */
export class ThriftStruct {
  readonly #fields = new Map<number, Value>();

  /** Reads exactly one struct. */
  constructor(from: ByteReader, depth = 0) {
    if (depth > DEPTH_MAX) throw wireFault(`expected structs at most ${DEPTH_MAX} deep`);
    let id = 0;
    for (let header = from.u8('a field'); header !== 0; header = from.u8('a field')) {
      const type = header & 0x0f;
      id = header < 0x10 ? readZigzag(from) : id + (header >>> 4);
      const value = type <= TYPE.false ? type === TYPE.true : readValue(from, type, depth);
      this.#fields.set(id, value);
    }
  }

  has(id: number): boolean {
    return this.#fields.has(id);
  }

  integer(id: number): number {
    const value = this.#fields.get(id);
    if (!Number.isSafeInteger(value)) throw wireFault(`expected a whole number in field ${id}`);
    return Number(value);
  }

  /** A non-negative whole number. */
  count(id: number): number {
    const count = this.integer(id);
    if (count < 0) throw wireFault(`expected a count in field ${id}, got ${count}`);
    return count;
  }

  struct(id: number): ThriftStruct {
    return structOf(this.#fields.get(id), id);
  }

  structs(id: number): readonly ThriftStruct[] {
    return this.#list(id).map((value) => structOf(value, id));
  }

  texts(id: number): readonly string[] {
    return this.#list(id).map((value) => {
      if (value instanceof Uint8Array) return DECODER.decode(value);
      throw wireFault(`expected texts in field ${id}`);
    });
  }

  #list(id: number): readonly Value[] {
    const list = this.#fields.get(id);
    if (isList(list)) return list;
    throw wireFault(`expected a list in field ${id}`);
  }
}

function structOf(value: Value | undefined, id: number): ThriftStruct {
  if (value instanceof ThriftStruct) return value;
  throw wireFault(`expected a struct in field ${id}`);
}

function isList(value: Value | undefined): value is readonly Value[] {
  return Array.isArray(value);
}

function readValue(from: ByteReader, type: number, depth: number): Value {
  if (type === TYPE.byte) return from.u8('a byte');
  if (type > TYPE.byte && type <= TYPE.i64) return readZigzag(from);
  if (type === TYPE.double) return from.f64('a double');
  if (type === TYPE.bytes) return from.bytes(from.varint('a length'), 'bytes');
  if (type === TYPE.list || type === TYPE.set) return readList(from, depth + 1);
  if (type === TYPE.map) return readMap(from, depth + 1);
  if (type === TYPE.struct) return new ThriftStruct(from, depth + 1);
  throw wireFault(`expected a type of Thrift, got ${type}`);
}

function readList(from: ByteReader, depth: number): readonly Value[] {
  const header = from.u8('a list');
  const short = header >>> 4;
  const size = short === LONG_LIST ? from.varint('a size') : short;
  return readElements(from, { size, types: [header & 0x0f], depth });
}

function readMap(from: ByteReader, depth: number): readonly Value[] {
  const size = from.varint('a size');
  if (size === 0) return [];
  const types = from.u8('types');
  return readElements(from, { size: size * 2, types: [types >>> 4, types & 0x0f], depth });
}

/** The element types alternate. Each element takes at least one byte. */
function readElements(
  from: ByteReader,
  {
    size,
    types,
    depth,
  }: { readonly size: number; readonly types: readonly number[]; readonly depth: number },
): readonly Value[] {
  if (size > from.left) throw wireFault(`expected ${size} elements in ${from.left} bytes`);
  if (depth > DEPTH_MAX) throw wireFault(`expected lists at most ${DEPTH_MAX} deep`);
  return Array.from({ length: size }, (_, at) => readElement(from, types[at % types.length] ?? 0, depth));
}

/** A boolean that is not a struct field takes a byte. */
function readElement(from: ByteReader, type: number, depth: number): Value {
  const isBoolean = type === TYPE.true || type === TYPE.false;
  return isBoolean ? from.u8('a boolean') === TYPE.true : readValue(from, type, depth);
}
