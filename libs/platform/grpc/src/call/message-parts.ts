/**
 * Checks the encoded bytes of a message, before any object is created: an empty message takes two bytes
 * encoded and some hundred in memory, and the decoder replaces bytes that are not UTF-8, which would make one
 * key of two.
 */
import { isUtf8 } from 'node:buffer';
import type { PackageDefinition } from '@grpc/proto-loader';

/** The fields of a message type, by number. */
export interface MessageShape {
  /** Fields that hold messages, with their shapes. */
  readonly messages: ReadonlyMap<number, MessageShape>;
  /** Fields that hold text, with their names. */
  readonly texts: ReadonlyMap<number, string>;
}

interface OpenShape extends MessageShape {
  readonly messages: Map<number, MessageShape>;
  readonly texts: Map<number, string>;
}

export const NO_FIELDS: MessageShape = { messages: new Map(), texts: new Map() };

interface TypeDescriptor {
  readonly name: string;
  readonly field: readonly FieldDescriptor[];
  readonly nestedType: readonly TypeDescriptor[];
}

interface FieldDescriptor {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly typeName: string;
}

/** The depth limit of protobuf's own reader. */
const DEPTH_MAX = 100;

/** Shapes of all message types of a protocol, by full name. */
export function messageShapes(definition: PackageDefinition): ReadonlyMap<string, MessageShape> {
  const shapes = new Map<string, OpenShape>();
  const types = new Map<string, TypeDescriptor>();
  const add = (name: string, type: TypeDescriptor): void => {
    shapes.set(name, { messages: new Map(), texts: new Map() });
    types.set(name, type);
    for (const nested of type.nestedType) add(`${name}.${nested.name}`, nested);
  };
  for (const [name, part] of Object.entries(definition)) {
    if (part.format === 'Protocol Buffer 3 DescriptorProto') add(name, part.type as TypeDescriptor);
  }
  for (const [name, { field }] of types) {
    for (const { name: fieldName, number, type, typeName } of field) {
      const inner = type === 'TYPE_MESSAGE' ? shapeNear(name, typeName, shapes) : undefined;
      if (inner !== undefined) shapes.get(name)?.messages.set(number, inner);
      if (type === 'TYPE_STRING') shapes.get(name)?.texts.set(number, snakeCase(fieldName));
    }
  }
  return shapes;
}

/** `displayName` as `display_name`, as in the protocol. */
function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Resolves a name within the type itself, then within the enclosing ones. */
function shapeNear(
  scope: string,
  name: string,
  shapes: ReadonlyMap<string, MessageShape>,
): MessageShape | undefined {
  const found = shapes.get(`${scope}.${name}`);
  const outer = scope.slice(0, Math.max(0, scope.lastIndexOf('.')));
  return found !== undefined || outer === '' ? found : shapeNear(outer, name, shapes);
}

/**
 * The number of messages within one. Throws RangeError for malformed bytes, {@link NotUtf8} for a text that
 * is not UTF-8, and {@link TooManyParts} above `max`.
 */
export function countParts(bytes: Uint8Array, shape: MessageShape, max: number): number {
  return new PartCounter(bytes, max).count(shape);
}

/** The number of parts is above the limit. */
export class TooManyParts extends RangeError {}

/** A text that is not UTF-8; the message is the name of its field. */
export class NotUtf8 extends RangeError {}

class PartCounter {
  readonly #bytes: Uint8Array;
  readonly #max: number;
  #at = 0;
  #parts = 0;

  constructor(bytes: Uint8Array, max: number) {
    this.#bytes = bytes;
    this.#max = max;
  }

  count(shape: MessageShape): number {
    this.#through(shape, this.#bytes.length, 0);
    return this.#parts;
  }

  #through(shape: MessageShape, end: number, depth: number): void {
    if (depth > DEPTH_MAX) throw new RangeError('nested too deeply');
    while (this.#at < end) {
      const tag = this.#varint();
      const inner = this.#field(tag, shape);
      if (inner === undefined) continue;
      if (++this.#parts > this.#max) throw new TooManyParts(`more than ${this.#max} parts`);
      const length = this.#varint();
      if (this.#at + length > end) throw new RangeError('cut short');
      this.#through(inner, this.#at + length, depth + 1);
    }
    if (this.#at !== end) throw new RangeError('cut short');
  }

  /** Skips a field; for a field that holds a message, returns the shape and stops before the length. */
  #field(tag: number, shape: MessageShape): MessageShape | undefined {
    switch (tag & 7) {
      case 0:
        this.#varint();
        return undefined;
      case 1:
        this.#at += 8;
        return undefined;
      case 2: {
        const number = tag >>> 3;
        const inner = shape.messages.get(number);
        if (inner === undefined) this.#skip(this.#varint(), shape.texts.get(number));
        return inner;
      }
      case 5:
        this.#at += 4;
        return undefined;
      default:
        throw new RangeError('no such wire type');
    }
  }

  #skip(length: number, text: string | undefined): void {
    const start = this.#at;
    this.#at += length;
    if (text !== undefined && !isUtf8(this.#bytes.subarray(start, this.#at))) throw new NotUtf8(text);
  }

  /** The low 32 bits: tags and lengths use no more. */
  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw new RangeError('cut short');
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('no number');
  }
}
