import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed } from '#platform/foundation';
import { firstPlaces, sortedPlaces } from './cooperative-sort.ts';
import { Pace } from './pace.ts';

/** The slice is over at each reading of the clock, to measure the work between two readings. */
function hurriedPace(): Pace {
  let ms = 0;
  return new Pace({ nowMs: () => ms, monotonicMs: () => (ms += 10) });
}

/** The maximum number of comparisons between two steps. */
function longestStep(
  count: number,
  run: (compare: (a: number, b: number) => number) => Generator<void>,
): number {
  let [comparisons, most] = [0, 0];
  const steps = run((a, b) => {
    comparisons++;
    return ((a * 7_919) % count) - ((b * 7_919) % count);
  });
  for (let isDone = false; !isDone; comparisons = 0) {
    isDone = steps.next().done === true;
    most = Math.max(most, comparisons);
  }
  return most;
}

describe('sorting', () => {
  it.each([
    ['all', 50_000],
    ['the first few', 10],
    ['the first thousands', 20_000],
  ])('%s of many gives way after some thousand comparisons', (_, most) => {
    const longest = longestStep(50_000, (compare) => {
      const pace = hurriedPace();
      return (function* () {
        yield* firstPlaces(50_000, most, compare, pace);
      })();
    });

    expect(longest).toBeLessThan(8_192);
  });

  it('sorts the first places of any keys, and compares only existing places', () => {
    const arbitrary = fc.record({
      count: fc.integer({ min: 0, max: 2_000 }),
      most: fc.nat({ max: 40 }),
      factor: fc.integer({ min: -97, max: 97 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ count, most, factor }) => {
        const keys = Array.from({ length: count }, (_, place) => (place * factor) % 101);
        const compare = (a: number, b: number): number => {
          if (a >= count || b >= count) throw new RangeError('expected a place of the input');
          return (keys[a] ?? 0) - (keys[b] ?? 0);
        };
        const expected = [...keys.keys()].sort(compare).slice(0, most);

        expect([...completed(firstPlaces(count, most, compare, hurriedPace()))]).toEqual(expected);
      }),
    );
  });

  it('returns the same first places as a full sort', () => {
    const compare = (a: number, b: number) => ((a * 31) % 97) - ((b * 31) % 97);
    const all = completed(sortedPlaces(5_000, compare, hurriedPace()));

    for (const most of [1, 10, 1_500, 4_000]) {
      expect(completed(firstPlaces(5_000, most, compare, hurriedPace()))).toEqual(all.slice(0, most));
    }
  });
});
