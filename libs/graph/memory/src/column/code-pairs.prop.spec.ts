import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CodePairs } from './code-pairs.ts';

const VALUES = 5;
const OTHER_VALUES = 3;

const arbitraryRows = fc.array(
  fc.record({ code: fc.nat({ max: VALUES - 1 }), other: fc.nat({ max: OTHER_VALUES - 1 }) }),
  { minLength: 1, maxLength: 200 },
);

function pairsOf(rows: readonly { readonly code: number; readonly other: number }[]): CodePairs {
  const codes = Uint8Array.from(rows, ({ code }) => code);
  const others = Uint16Array.from(rows, ({ other }) => other);
  return new CodePairs(codes, VALUES, others, OTHER_VALUES);
}

describe('a table of pairs of values', () => {
  it('counts the rows of each pair', () => {
    const law = fc.property(arbitraryRows, (rows) => {
      const pairs = pairsOf(rows);
      const isBuilt = pairs.count(0, 0, rows.length + 1) !== undefined;

      expect(isBuilt).toBe(true);
      for (let code = 0; code < VALUES; code++) {
        for (let other = 0; other < OTHER_VALUES; other++) {
          const expected = rows.filter((row) => row.code === code && row.other === other).length;
          expect(pairs.count(code, other, 1)).toBe(expected);
        }
      }
    });
    fc.assert(law);
  });

  it('is built once counts have read as many rows as there are', () => {
    const law = fc.property(arbitraryRows, fc.integer({ min: 1, max: 200 }), (rows, each) => {
      const pairs = pairsOf(rows);
      const asked = Math.floor(rows.length / each);

      for (let at = 0; at < asked; at++) expect(pairs.count(0, 0, each)).toBeUndefined();
      expect(pairs.count(0, 0, each)).toBeDefined();
    });
    fc.assert(law);
  });

  it('is not built for too many pairs', () => {
    const pairs = new CodePairs(Uint8Array.of(0), 100, Uint8Array.of(0), 100);

    expect(pairs.count(0, 0, 1_000_000)).toBeUndefined();
  });
});
