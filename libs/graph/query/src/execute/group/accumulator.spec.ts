import { describe, expect, it } from '@jest/globals';
import { FIXTURE, NaiveReader } from '#graph/testing';
import type { BoundAggregate } from '../../binder/bound-query.ts';
import type { Cell } from '../../result/query-result.ts';
import { accumulatorOf } from './accumulator.ts';

const reader = new NaiveReader(FIXTURE);
const argument = { kind: 'field', element: 0, field: 'cpu' } as const;

/** The aggregate of cells, each with its number of rows. */
function aggregate(
  name: BoundAggregate['function'],
  cells: readonly (readonly [Cell, number])[],
  distinct = false,
): Cell {
  const accumulator = accumulatorOf(reader, { function: name, distinct, argument } as BoundAggregate);
  for (const [cell, weight] of cells) accumulator.add(cell, weight);
  return accumulator.result;
}

const once = (...cells: Cell[]) => cells.map((cell) => [cell, 1] as const);

describe('SUM and AVG', () => {
  it.each([
    [[1e16, 1, -1e16]],
    [[1e16, -1e16, 1]],
    [[1, 1e16, -1e16]],
    [[1, -1e16, 1e16]],
    [[-1e16, 1, 1e16]],
    [[-1e16, 1e16, 1]],
  ])('lose no small number beside large ones, in the order %j', (numbers) => {
    expect(aggregate('sum', once(...numbers))).toBe(1);
    expect(aggregate('avg', once(...numbers))).toBe(1 / 3);
  });

  it('include every row of a repeated value', () => {
    const cells = [
      [1e16, 2],
      [1, 3],
      [-1e16, 2],
    ] as const;

    expect(aggregate('sum', cells)).toBe(3);
    expect(aggregate('avg', cells)).toBe(3 / 7);
  });

  it.each([
    [[1e308, 1e308, -1e308], 1e308],
    [[-1e308, -1e308, 1e308, 1e308, 3], 3],
    [[1e308, 2, 1e308, -1e308, -1e308, 1e-300], 2],
    [[1e300, 1, -1e300], 1],
    [[Number.MAX_VALUE, -1, 1], Number.MAX_VALUE],
  ])('are right if only a part of the sum overflows: %j', (numbers, sum) => {
    expect(aggregate('sum', once(...numbers))).toBe(sum);
    expect(aggregate('avg', once(...numbers))).toBe(sum / numbers.length);
  });

  it('have an average, but an error for the sum, beyond the largest number', () => {
    const { MAX_VALUE } = Number;
    const tooLarge = expect.objectContaining({ code: 'QUERY_TOO_LARGE' });

    expect(aggregate('avg', once(1e308, 1e308))).toBe(1e308);
    expect(aggregate('avg', once(-1.7e308, -1.7e308, -1.7e308, 2))).toBe((-1.7e308 / 4) * 3);
    expect(aggregate('avg', [[MAX_VALUE, 2 ** 53 - 1]])).toBe(MAX_VALUE);
    expect(() => aggregate('sum', once(1e308, 1e308))).toThrow(tooLarge);
    expect(() =>
      aggregate('sum', [
        [-1, 3],
        [-MAX_VALUE, 2],
      ]),
    ).toThrow(tooLarge);
  });

  it('of ordinary numbers are those of a compensated sum', () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => Math.sin(index) * 10 ** (index % 40));
    let [sum, rest] = [0, 0];
    for (const number of numbers) {
      const next = sum + number;
      rest += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
      sum = next;
    }

    expect(aggregate('sum', once(...numbers))).toBe(sum + rest);
    expect(aggregate('avg', once(...numbers))).toBe((sum + rest) / 1_000);
  });

  it('ignore values that are not numbers', () => {
    const cells = once(2, '3', null, true, undefined, 4);

    expect([aggregate('sum', cells), aggregate('avg', cells)]).toEqual([6, 3]);
  });

  it('count equal numbers once under DISTINCT', () => {
    const cells = [
      [5, 3],
      [5, 1],
      [7, 2],
    ] as const;

    expect([aggregate('sum', cells, true), aggregate('avg', cells, true)]).toEqual([12, 6]);
    expect([aggregate('count', cells, true), aggregate('count', cells)]).toEqual([2, 6]);
  });

  it('are 0 and null without values', () => {
    expect([aggregate('sum', once(null)), aggregate('avg', once(null))]).toEqual([0, null]);
    expect([aggregate('count', once(null)), aggregate('min', []), aggregate('max', [])]).toEqual([
      0,
      null,
      null,
    ]);
  });
});

describe('MIN, MAX and the first', () => {
  it('are found at any position', () => {
    for (const cells of [once(2, 1, 3), once(1, 3, 2), once(3, 2, 1)]) {
      expect([aggregate('min', cells), aggregate('max', cells)]).toEqual([1, 3]);
    }
    expect(aggregate('first', once(null, 2, 1))).toBe(null);
    expect(aggregate('first', once(2, 1))).toBe(2);
  });
});
