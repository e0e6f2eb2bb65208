import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hasText, TextSearch } from './text-search.ts';

const nothing = (): void => undefined;
const run = { made: 0, make: nothing, drop: nothing, tick: nothing };

/** Texts of a few letters, long enough that JavaScript's own search is not taken. */
const piece = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 });
const cases = fc.record({
  search: fc.tuple(piece, piece).map(([often, end]) => often.repeat(8_000 / often.length) + end),
  before: piece.map((text) => text.repeat(9_000 / text.length)),
  isIn: fc.boolean(),
});

describe('the search of a long text in a long one', () => {
  it('finds the places that JavaScript finds', () => {
    fc.assert(
      fc.property(cases, fc.nat({ max: 3 }), ({ search, before, isIn }, skipped) => {
        const text = before + (isIn ? search + before + search : before);
        expect(text.length * search.length).toBeGreaterThan(50_000_000);
        const long = new TextSearch(text, search, run);
        let at = skipped - 1;
        for (let count = 0; count < 5; count++) {
          const expected = text.indexOf(search, at + 1);
          expect(long.next(at + 1)).toBe(expected);
          if (expected < 0) break;
          at = expected;
        }
        expect(hasText(text, search, run)).toBe(text.includes(search));
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});
