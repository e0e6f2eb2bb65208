import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import parquetTypes from 'parquetjs-lite/gen-nodejs/parquet_types.js';
import parquetUtil from 'parquetjs-lite/lib/util.js';
import { DomainError } from '#platform/foundation';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ThriftStruct } from './thrift-struct.ts';

const read = (...bytes: readonly number[]): ThriftStruct =>
  new ThriftStruct(new ByteReader(Uint8Array.from(bytes)));

describe('ThriftStruct', () => {
  it('reads a struct written by the package', () => {
    const header = new parquetTypes.PageHeader({
      type: 0,
      uncompressed_page_size: 1_000_000,
      compressed_page_size: 77,
      crc: -5,
      data_page_header: new parquetTypes.DataPageHeader({ num_values: 16_384, encoding: 5 }),
    });

    const found = read(...parquetUtil.serializeThrift(header));

    expect([found.count(2), found.count(3), found.integer(4)]).toEqual([1_000_000, 77, -5]);
    expect([found.struct(5).count(1), found.struct(5).count(2)]).toEqual([16_384, 5]);
    expect([found.has(5), found.has(7)]).toEqual([true, false]);
  });

  it('skips fields of every type', () => {
    const fields = [0x11, 0x12, 0x13, 9, 0x17, 0, 0, 0, 0, 0, 0, 0, 0, 0x19, 0x21, 1, 2];
    const map = [0x1b, 1, 0x83, 1, 65, 4];

    expect(read(...fields, ...map, 0x15, 14, 0).integer(7)).toBe(7);
  });

  it.each([
    ['a list of more than there is', [0x19, 0xfc, 0xff, 0xff, 0xff, 0x7f, 0]],
    ['a list of nothing without end', [0x19, 0xf0, 0xff, 0xff, 0xff, 0x7f, 0]],
    ['a map of more than there is', [0x1b, 0xff, 0xff, 0xff, 0x7f, 0xcc, 0]],
    ['structs within structs', Array.from({ length: 100 }, () => 0x1c)],
    ['a type that is none', [0x1d, 0]],
    ['no end', [0x15, 2]],
  ])('is refused for %s', (_, bytes) => {
    expect(() => read(...bytes)).toThrow(DomainError);
  });

  it('names the missing item when the bytes are truncated anywhere', () => {
    const double = [0x17, 0, 0, 0, 0, 0, 0, 0, 0];
    const longList = [0x19, 0xf3, 20, ...Array<number>(20).fill(4)];
    const map = [0x1b, 2, 0x81, 1, 65, 1, 2, 66, 67, 2];
    const fields = [0x13, 9, 0x08, 30, 3, 65, 66, 67, ...double, ...longList, ...map];
    const whole = [...fields, 0x19, 0x21, 1, 2, 0x1c, 0x11, 0, 0x15, 0x80, 1, 0];

    expect(read(...whole).has(15)).toBe(true);
    for (let cut = 0; cut < whole.length; cut++) {
      // A list with more elements than bytes left has its own error.
      expect(() => read(...whole.slice(0, cut))).toThrow(
        /^expected (\d+ bytes of [a-z]|\d+ elements in \d+ bytes)/,
      );
    }
  });

  it('returns or throws WIRE_FORMAT for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          read(...bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(DomainError);
        }
      }),
    );
  });
});
