import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LazyRows, newBits, RowBits, RowNumbers, RowRange, type RowSet } from './row-set.ts';

interface Rows {
  readonly size: number;
  readonly rows: readonly number[];
}

/** Sizes around multiples of a word, so that the last word is full, partial or missing. */
const arbitraryRows: fc.Arbitrary<Rows> = fc
  .constantFrom(1, 5, 31, 32, 33, 64, 70, 100)
  .chain((size) =>
    fc.oneof(fc.subarray(allOf(size)), fc.constant(allOf(size))).map((rows) => ({ size, rows })),
  );

function allOf(size: number): number[] {
  return Array.from({ length: size }, (_, row) => row);
}

function bitsOf({ rows, size }: Rows): Uint32Array {
  const bits = newBits(size);
  new RowNumbers(Uint32Array.from(rows), size).mark(bits);
  return bits;
}

function leftOut({ rows, size }: Rows): number[] {
  return allOf(size).filter((row) => !rows.includes(row));
}

/** The rows in each suitable form. */
function formsOf(all: Rows): RowSet[] {
  const { rows, size } = all;
  const mark = (bits: Uint32Array): void => new RowBits(bitsOf(all), size).mark(bits);
  const facts = { count: rows.length, size };
  const complement = (): RowSet => new RowBits(bitsOf({ rows: leftOut(all), size }), size);
  return [
    ...(rows.length === 0 || rows.length === size ? [new RowRange(size, rows.length > 0)] : []),
    new RowNumbers(Uint32Array.from(rows), size),
    new RowNumbers(Uint32Array.from(rows), size, new RowBits(bitsOf(all), size)),
    new RowBits(bitsOf(all), size),
    new LazyRows(facts, mark),
    new LazyRows({ ...facts, count: () => rows.length, complement }, mark),
    new LazyRows({ ...facts, membership: new RowBits(bitsOf(all), size) }, mark),
  ];
}

function expectRows(set: RowSet, { rows, size }: Rows): void {
  const bits = newBits(size);
  set.mark(bits);

  expect(set.count).toBe(rows.length);
  expect([...set.list()]).toEqual(rows);
  expect(allOf(size).filter((row) => set.has(row))).toEqual(rows);
  expect([...bits]).toEqual([...bitsOf({ rows, size })]);
}

describe('a set of rows', () => {
  it('has the same rows and complement in each form', () => {
    const law = fc.property(arbitraryRows, ({ rows, size }) => {
      for (const set of formsOf({ rows, size })) {
        expectRows(set, { rows, size });
        expectRows(set.complement(), { rows: leftOut({ rows, size }), size });
        expectRows(set.complement().complement(), { rows, size });
      }
    });
    fc.assert(law);
  });

  it('counts its rows among others', () => {
    const law = fc.property(arbitraryRows, fc.subarray(allOf(100)), ({ rows, size }, others) => {
      const among = Uint32Array.from(others.filter((row) => row < size));
      for (const set of formsOf({ rows, size })) {
        expect(set.countAmong(among)).toBe([...among].filter((row) => rows.includes(row)).length);
      }
    });
    fc.assert(law);
  });

  it('keeps the bits set by others', () => {
    const law = fc.property(arbitraryRows, fc.nat({ max: 100 }), ({ rows, size }, at) => {
      const before = at % size;
      for (const set of formsOf({ rows, size })) {
        const bits = bitsOf({ rows: [before], size });
        set.mark(bits);

        expect([...new RowBits(bits, size).list()]).toEqual(
          [...new Set([...rows, before])].sort((a, b) => a - b),
        );
      }
    });
    fc.assert(law);
  });
});
