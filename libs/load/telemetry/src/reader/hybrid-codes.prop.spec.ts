import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { bitWidthOf, writeHybrid, writeLevels } from '../parquet/bit-packing.ts';
import { readHybrid, readLevels } from './hybrid-codes.ts';

const WIDTH_MAX = 24;

/** Writes into dirty memory. */
function written(write: (out: ByteWriter) => void): Uint8Array {
  const out = new ByteWriter();
  out.room(1_024).fill(0xff);
  out.reset();
  write(out);
  return out.written().slice();
}

/** Codes below 2^width, equal or different, mixed with nulls; at least one code is not null. */
const arbitraryCodes = fc.integer({ min: 1, max: WIDTH_MAX }).chain((width) => {
  const code = fc.oneof(fc.nat({ max: 2 ** width - 1 }), fc.constant(2 ** width - 1));
  const codes = fc.oneof(
    fc.array(code, { minLength: 1, maxLength: 60 }),
    fc.tuple(code, fc.integer({ min: 1, max: 300 })).map(([one, count]) => Array<number>(count).fill(one)),
  );
  const withNulls = fc
    .tuple(codes, fc.nat({ max: 3 }))
    .map(([all, nulls]) => all.flatMap((one, at) => (at % 3 < nulls ? [-1, one] : [one])));
  return fc.record({ width: fc.constant(width), codes: withNulls });
});

describe('readHybrid', () => {
  it('restores codes of any width without the nulls', () => {
    fc.assert(
      fc.property(arbitraryCodes, ({ width, codes }) => {
        const bytes = written((out) => writeHybrid(out, Int32Array.from(codes), width));
        const present = codes.filter((code) => code >= 0);
        const from = new ByteReader(bytes);

        expect(Array.from(readHybrid(from, present.length, width))).toEqual(present);
        expect(from.isAtEnd).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('reads nothing if all rows are null', () => {
    expect(written((out) => writeHybrid(out, Int32Array.of(-1, -1), 3))).toHaveLength(0);
    expect(readHybrid(new ByteReader(new Uint8Array()), 0, 3)).toHaveLength(0);
  });

  it('names the missing item when the bytes are truncated anywhere', () => {
    fc.assert(
      fc.property(arbitraryCodes, fc.nat(), ({ width, codes }, cut) => {
        const bytes = written((out) => writeHybrid(out, Int32Array.from(codes), width));
        const count = codes.filter((code) => code >= 0).length;
        const from = new ByteReader(bytes.subarray(0, cut % bytes.length));

        expect(() => readHybrid(from, count, width)).toThrow(/^expected \d+ bytes of [a-z]/);
      }),
    );
  });

  it.each([
    ['of no width', [2, 0], 0, 'expected 1 to 24 bits, got 0'],
    ['too wide', [2, 0], 25, 'expected 1 to 24 bits, got 25'],
    ['in a run of none', [0, 0], 1, 'expected values in a run'],
    ['in no groups', [1, 0], 1, 'expected values in a run'],
  ])('are refused %s', (_, bytes, width, message) => {
    expect(() => readHybrid(new ByteReader(Uint8Array.from(bytes)), 1, width)).toThrow(message);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [255, 8],
    [256, 9],
  ])('up to %i are %i bits wide', (most, width) => {
    expect(bitWidthOf(most)).toBe(width);
  });
});

describe('readLevels', () => {
  it('restores the null rows', () => {
    const arbitraryRows = fc.oneof(
      fc.array(fc.constantFrom(-1, 0, 9), { minLength: 1, maxLength: 300 }),
      fc
        .tuple(fc.constantFrom(-1, 4), fc.integer({ min: 1, max: 20_000 }))
        .map(([one, count]) => Array<number>(count).fill(one)),
    );
    fc.assert(
      fc.property(arbitraryRows, (codes) => {
        const bytes = written((out) => writeLevels(out, Int32Array.from(codes)));
        const from = new ByteReader(bytes);

        const levels = readLevels(from, codes.length);

        expect(levels.findIndex((level, row) => level !== (codes[row]! < 0 ? -1 : 0))).toBe(-1);
        expect(from.isAtEnd).toBe(true);
        expect(new ByteReader(bytes).u32('the length')).toBe(bytes.length - 4);
      }),
    );
  });
});
