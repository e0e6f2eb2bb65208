import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { readVector, writeVector, type VectorBounds } from './vector.ts';

const HAS_BITMAP = 16;

/** Writes into dirty memory, which reveals bytes that a form does not set. */
function written(values: Float64Array | Int32Array, absent: number): Uint8Array {
  const out = new ByteWriter();
  out.room(1_024).fill(0xff);
  out.reset();
  writeVector(out, values, absent);
  return out.written().slice();
}

function read(
  bytes: Uint8Array,
  rows: number,
): { values: Float64Array; bounds: VectorBounds; isAtEnd: boolean } {
  const from = new ByteReader(bytes);
  const values = new Float64Array(rows);
  const bounds = readVector(from, values, NaN);
  return { values, bounds, isAtEnd: from.isAtEnd };
}

/** Numbers within `span` of a base, mixed with nulls. */
const arbitraryNumbers = fc
  .record({
    span: fc.constantFrom(0, 1, 0xff, 0x100, 0xffff, 0x1_0000, 2 ** 32 - 1, 2 ** 32, 2 ** 52),
    base: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
    isNullable: fc.boolean(),
  })
  .chain(({ span, base, isNullable }) => {
    const number = fc.oneof(
      fc.constantFrom(0, span),
      fc.maxSafeNat().map((nat) => nat % (span + 1)),
    );
    const value = number.map((offset) => base + offset);
    return fc.array(isNullable ? fc.option(value, { nil: NaN, freq: 3 }) : value, {
      minLength: 1,
      maxLength: 40,
    });
  })
  .map((values) => Float64Array.from(values));

describe('readVector', () => {
  it('restores a written vector, with bounds that include all values', () => {
    fc.assert(
      fc.property(arbitraryNumbers, (values) => {
        const found = read(written(values, NaN), values.length);

        const present = values.filter((value) => !Number.isNaN(value));
        expect(found.values).toEqual(values);
        expect(found.isAtEnd).toBe(true);
        expect(found.bounds.hasNulls).toBe(present.length < values.length);
        if (present.length === 0) return;
        expect(found.bounds.least).toBeLessThanOrEqual(Math.min(...present));
        expect(found.bounds.most).toBeGreaterThanOrEqual(Math.max(...present));
      }),
      { numRuns: 500 },
    );
  });

  it('restores codes below 0 as nulls', () => {
    const codes = Int32Array.of(3, -1, 0, -1, -1, 70_000);
    const found = new Int32Array(codes.length);

    readVector(new ByteReader(written(codes, -1)), found, -1);

    expect(found).toEqual(codes);
  });

  it.each([
    ['nothing', 0, [NaN, NaN], 1],
    ['one value', 1, [7], 9],
    ['the same value', 1, [7, 7, 7], 9],
    ['values 255 apart', 2, [1, 256, 9], 9 + 3],
    ['values 256 apart', 3, [1, 257, 9], 9 + 2 * 3],
    ['values 65,535 apart', 3, [1, 65_536, 9], 9 + 2 * 3],
    ['values 65,536 apart', 4, [1, 65_537, 9], 9 + 4 * 3],
    ['values 2^32 − 1 apart', 4, [1, 2 ** 32, 9], 9 + 4 * 3],
    ['values 2^32 apart', 5, [1, 2 ** 32 + 1, 9], 1 + 8 * 3],
    ['values that follow each other', 6, [-1, 0, 1, 2], 9],
    ['values that follow each other, with nulls', 6 + HAS_BITMAP, [NaN, 4, NaN, 5, 6], 9 + 1],
    ['a value and nulls', 1 + HAS_BITMAP, [NaN, 4, NaN], 9 + 1],
  ])('has the smallest form for %s', (_, tag, values, length) => {
    const bytes = written(Float64Array.from(values), NaN);

    expect([bytes[0], bytes.length]).toEqual([tag, length]);
  });

  it('names the missing item when the bytes are truncated anywhere', () => {
    fc.assert(
      fc.property(arbitraryNumbers, fc.nat(), (values, cut) => {
        const bytes = written(values, NaN);

        expect(() => read(bytes.subarray(0, cut % bytes.length), values.length)).toThrow(
          /^expected \d+ bytes of [a-z]/,
        );
      }),
    );
  });

  it.each([
    ['a form that is none', [7, 0, 0, 0, 0, 0, 0, 0, 0], 'expected the form of a vector, got 7'],
    ['a base that is no whole number', [1, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f], 'expected a whole number as base'],
    [
      'a value that is no whole number',
      [5, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f],
      'expected a whole number, got 0.5',
    ],
  ])('is refused for %s', (_, bytes, message) => {
    expect(() => read(Uint8Array.from(bytes), 1)).toThrow(message);
  });
});
