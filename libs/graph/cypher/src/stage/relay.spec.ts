import { describe, expect, it } from '@jest/globals';
import type { Rows } from '../expression/subqueries.ts';
import type { Row } from '../graph/run.ts';
import { type LineOfStages, relayed } from './relay.ts';

/** Each row with a further value, `times` times; a pause after each. */
function line(value: number, times: number): LineOfStages {
  return function* (input) {
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      for (let time = 0; time < times; time++) {
        yield [...row, BigInt(value + time)];
        yield undefined;
      }
    }
  };
}

function* rowsOf(count: number, onEnd: () => void): Rows {
  try {
    for (let at = 0; at < count; at++) {
      yield [BigInt(at)];
      yield undefined;
    }
  } finally {
    onEnd();
  }
}

const found = (rows: Rows): readonly Row[] => [...rows].filter((row) => row !== undefined);

describe('lines of stages', () => {
  const lines = [line(10, 2), line(20, 1), line(30, 3)];
  const first: LineOfStages = function* (input) {
    for (const row of input) {
      yield row;
      if (row !== undefined) return;
    }
  };
  const counted: LineOfStages = function* (input) {
    let count = 0n;
    for (const row of input) {
      if (row === undefined) yield undefined;
      else count++;
    }
    yield [count];
  };

  it.each([
    ['all', lines],
    ['the first, and no more is made', [line(10, 2), first, line(30, 3)]],
    ['none', [line(10, 2), line(20, 0), line(30, 3)]],
    ['one after all others', [line(10, 2), line(20, 3), counted, line(30, 2)]],
  ])('have the rows of stages that call each other: %s', (_, each) => {
    let isEnded = false;
    const one = found(
      each.reduce(
        (rows, next) => next(rows),
        rowsOf(4, () => undefined),
      ),
    );
    const rows = found(
      relayed(
        each,
        rowsOf(4, () => (isEnded = true)),
      ),
    );

    expect(rows).toEqual(one);
    expect(isEnded).toBe(true);
  });

  it('give up all lines when no more rows are wanted, and when one fails', () => {
    let ended = 0;
    const rows = relayed(
      lines,
      rowsOf(4, () => ended++),
    );
    while (rows.next().value === undefined);
    rows.return();
    const failing: LineOfStages = function* (input) {
      for (const row of input) {
        yield row;
        if (row !== undefined) throw new Error('no');
      }
    };

    expect(ended).toBe(1);
    expect(() =>
      found(
        relayed(
          [lines[0]!, failing, lines[2]!],
          rowsOf(4, () => ended++),
        ),
      ),
    ).toThrow('no');
    expect(ended).toBe(2);
  });
});
