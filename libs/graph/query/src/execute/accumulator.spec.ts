import { describe, expect, it } from '@jest/globals';
import { FIXTURE, NaiveReader } from '#graph/testing';
import type { BoundAggregate } from '../binder/bound-query.ts';
import type { Cell } from '../result/query-result.ts';
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

  it('are infinite, not null, on overflow', () => {
    expect(aggregate('sum', once(1.7e308, 1.7e308, 1))).toBe(Infinity);
    expect(aggregate('avg', once(-1.7e308, -1.7e308))).toBe(-Infinity);
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
