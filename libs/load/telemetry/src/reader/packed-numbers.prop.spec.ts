import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { PACKED_SPAN_MAX, writePacked, writePackedSame } from '../parquet/delta-packing.ts';
import { readPacked } from './packed-numbers.ts';

const BLOCK_VALUES = 128;
const PAGE_ROWS = 16_384;

function readerOf(write: (out: ByteWriter) => void): ByteReader {
  const out = new ByteWriter();
  write(out);
  return new ByteReader(out.written());
}

interface Series {
  readonly length: number;
  /** Bit width of each difference. */
  readonly bits: number;
  readonly first: number;
  readonly seed: number;
}

const arbitrarySeries: fc.Arbitrary<Series> = fc.record({
  length: fc.oneof(fc.integer({ min: 0, max: 3 * BLOCK_VALUES + 2 }), fc.constant(PAGE_ROWS)),
  bits: fc.integer({ min: 0, max: 51 }),
  first: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }),
  seed: fc.integer(),
});

function numbersOf({ length, bits, first, seed }: Series): Float64Array {
  const values = new Float64Array(length);
  let state = seed;
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    values[at] = first + Math.floor(((state >>> 0) / 2 ** 32) * 2 ** bits);
  }
  return values;
}

describe('readPacked', () => {
  it('restores numbers of any count and width', () => {
    fc.assert(
      fc.property(arbitrarySeries, (series) => {
        const values = numbersOf(series);
        const reader = readerOf((out) => writePacked(out, values));

        const read = readPacked(reader, values.length);

        expect(read.findIndex((value, at) => !Object.is(value, values[at]))).toBe(-1);
        expect([read.length, reader.isAtEnd]).toEqual([values.length, true]);
      }),
      { numRuns: 150, verbose: fc.VerbosityLevel.Verbose },
    );
  });

  it.each([1, 2, BLOCK_VALUES, BLOCK_VALUES + 1, BLOCK_VALUES + 2, 2 * BLOCK_VALUES + 1, PAGE_ROWS])(
    'restores one value %i times',
    (count) => {
      const reader = readerOf((out) => writePackedSame(out, 7, count));

      expect(readPacked(reader, count)).toEqual(new Float64Array(count).fill(7));
      expect(reader.isAtEnd).toBe(true);
    },
  );

  it('restores numbers at the maximum distance, ascending and descending', () => {
    const values = Float64Array.from({ length: 300 }, (_, at) => (at % 2) * PACKED_SPAN_MAX);

    expect(
      readPacked(
        readerOf((out) => writePacked(out, values)),
        values.length,
      ),
    ).toEqual(values);
  });

  it('names the missing item when the bytes are truncated anywhere', () => {
    fc.assert(
      fc.property(arbitrarySeries, fc.nat(), (series, cut) => {
        const values = numbersOf(series);
        const out = new ByteWriter();
        writePacked(out, values);
        const reader = new ByteReader(out.written().subarray(0, cut % out.length));

        expect(() => readPacked(reader, values.length)).toThrow(/^expected \d+ bytes of [a-z]/);
      }),
    );
  });

  it('rejects a count that differs from the number of rows', () => {
    const write = (out: ByteWriter) => writePacked(out, Float64Array.of(1, 2, 3));

    expect(() => readPacked(readerOf(write), 2)).toThrow('expected 2 packed numbers');
    expect(() => readPacked(readerOf(write), 4)).toThrow('expected 4 packed numbers');
  });

  it.each([
    ['no values', [0, 4], 'got 0'],
    ['a part of a miniblock', [96, 4], 'got 24'],
  ])('are refused in blocks of %s', (_, [blockValues = 0, miniblocks = 0], message) => {
    const reader = readerOf((out) => {
      out.varint(blockValues);
      out.varint(miniblocks);
      out.varint(1);
      out.u8(0);
    });

    expect(() => readPacked(reader, 1)).toThrow(message);
  });

  it('rejects a bit width beyond that of numbers', () => {
    const reader = readerOf((out) => {
      for (const value of [BLOCK_VALUES, 4, 2]) out.varint(value);
      for (const byte of [0, 0, 55, 0, 0, 0, ...Array<number>(400).fill(0)]) out.u8(byte);
    });

    expect(() => readPacked(reader, 2)).toThrow('expected at most 54 bits, got 55');
  });
});
