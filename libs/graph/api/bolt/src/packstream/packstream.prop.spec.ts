/** Against the driver's own PackStream, in both directions. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packedByDriver, structure, unpackedByDriver } from '#graph/testing';
import { Packer } from './packer.ts';
import { MalformedMessage, Unpacker } from './unpacker.ts';

type Plain = null | boolean | bigint | number | string | readonly Plain[] | { readonly [key: string]: Plain };

const INT64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
/** Around each width. */
const EDGES = fc
  .constantFrom(4n, 7n, 8n, 15n, 16n, 31n, 32n, 63n)
  .chain((bits) => fc.bigInt({ min: 2n ** bits - 2n, max: 2n ** bits + 1n }))
  .map((value) => BigInt.asIntN(64, value));

const { value: arbitraryPlain } = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    INT64,
    EDGES,
    EDGES.map((value) => BigInt.asIntN(64, -value)),
    fc.double(),
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

function write(packer: Packer, value: Plain): void {
  if (value === null) packer.null();
  else if (typeof value === 'boolean') packer.boolean(value);
  else if (typeof value === 'bigint') packer.integer(value);
  else if (typeof value === 'number') packer.float(value);
  else if (typeof value === 'string') packer.string(value);
  else if (isItems(value)) {
    packer.listHeader(value.length);
    for (const item of value) write(packer, item);
  } else {
    packer.mapHeader(Object.keys(value).length);
    for (const [key, item] of Object.entries(value)) {
      packer.string(key);
      write(packer, item);
    }
  }
}

function isItems(value: readonly Plain[] | { readonly [key: string]: Plain }): value is readonly Plain[] {
  return Array.isArray(value);
}

/** Maps as objects. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, item]) => [key as string, plain(item)]));
}

function read(bytes: Buffer): { readonly tag: number; readonly fields: unknown } {
  const { tag, fields } = new Unpacker(bytes, (inner, items) => [inner, ...items] as never).message();
  return { tag, fields: plain(fields) };
}

function written(value: Plain): Buffer {
  const packer = new Packer();
  write(packer, value);
  return packer.written;
}

describe('PackStream', () => {
  it('is read by the driver as it was written here', () => {
    fc.assert(
      fc.property(arbitraryPlain, (value) => {
        expect(unpackedByDriver(written(value))).toEqual(value);
      }),
    );
  });

  it('is written in the driver’s own bytes', () => {
    fc.assert(
      fc.property(arbitraryPlain, (value) => {
        expect(written(value)).toEqual(packedByDriver(value));
      }),
    );
  });

  it('is read here as the driver has written it', () => {
    fc.assert(
      fc.property(arbitraryPlain, (value) => {
        expect(read(packedByDriver(structure(0x10, value, structure(0x44, 1n))))).toEqual({
          tag: 0x10,
          fields: [value, [0x44, 1n]],
        });
      }),
    );
  });

  it.each([15, 16, 255, 256, 1_024, 1_025, 65_535, 65_536])(
    'writes %d of anything as the driver does',
    (size) => {
      const key = (index: number): string => index.toString(36);
      const values: readonly Plain[] = [
        'x'.repeat(size),
        'ä'.repeat(size),
        '\u{1d11e}'.repeat(size / 4),
        Array.from({ length: size }, () => 1n),
        Object.fromEntries(Array.from({ length: size }, (_, index) => [key(index), null])),
      ];

      for (const value of values) {
        expect(written(value).equals(packedByDriver(value))).toBe(true);
        expect(unpackedByDriver(written(value))).toEqual(value);
      }
    },
  );

  it('is a message or refused, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expectMessageOrRefusal(Buffer.from([0xb1, 0x10, ...bytes]));
      }),
    );
  });

  it('is a message or refused where one byte of it has changed', () => {
    fc.assert(
      fc.property(arbitraryPlain, fc.nat(), fc.nat({ max: 255 }), (value, at, byte) => {
        const bytes = Buffer.from(packedByDriver(structure(0x10, value)));
        bytes[at % bytes.length] = byte;
        expectMessageOrRefusal(bytes);
      }),
    );
  });

  it.each([
    ['a list', 'b110d6ffffffff'],
    ['a map', 'b110daffffffff'],
    ['a text', 'b110d2ffffffff'],
    ['bytes', 'b110ceffffffff'],
  ])('refuses %s of a size that the message cannot have', (_, hex) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow('the message ends inside a value');
  });

  it('refuses what would take the stack or the memory', () => {
    const deep = Buffer.concat([Buffer.from([0xb1, 0x10]), Buffer.alloc(100_000, 0x91), Buffer.from([0xc0])]);
    const many = Buffer.concat([
      Buffer.from([0xb1, 0x10, 0xd6, 0x00, 0x40, 0x00, 0x00]),
      Buffer.alloc(0x400000, 0xc0),
    ]);
    const maps = Buffer.concat([
      Buffer.from([0xb1, 0x10, 0xd6, 0x00, 0x08, 0x00, 0x00]),
      Buffer.alloc(0x80000, 0xa0),
    ]);

    expect(() => read(deep)).toThrow('expected at most 200 values inside each other');
    expect(() => read(many)).toThrow('expected at most 4000000 values in a message');
    expect(() => read(maps)).toThrow('expected at most 4000000 values in a message');
  });

  it.each([
    ['a key that is no text', 'b110a101c0', 'expected a text as the key of a map'],
    ['equal keys', 'b110a28161c08161c0', 'expected the keys of a map to differ'],
    ['a text that is not UTF-8', 'b11081ff', 'expected UTF-8 in a text'],
    ['bytes after the message', 'b110c0c0', 'expected no bytes after the message'],
    ['a list in place of a message', '9110c0', 'expected a structure, got the byte 0x91'],
    ['an unknown kind', 'b110c7', 'expected a value, got the byte 0xc7'],
  ])('refuses %s', (_, hex, message) => {
    expect(() => read(Buffer.from(hex, 'hex'))).toThrow(message);
  });
});

function expectMessageOrRefusal(bytes: Buffer): void {
  try {
    read(bytes);
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedMessage);
  }
}
