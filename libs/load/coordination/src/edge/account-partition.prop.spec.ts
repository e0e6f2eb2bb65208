import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assertDisjoint, partitionAccounts } from './account-partition.ts';

const ids = fc.integer({ min: 1, max: 200 }).map((count) => Array.from({ length: count }, (_, i) => `e${i}`));
const total = fc.integer({ min: 1, max: 1_000_000 });

describe('partitionAccounts', () => {
  it('assigns every account once, in order, in shares that differ by at most one', () => {
    fc.assert(
      fc.property(ids, total, fc.nat(), (edgeIds, count, runFirst) => {
        const partitions = partitionAccounts(edgeIds, { first: runFirst, count });

        let next = runFirst;
        for (const { first, count: own } of partitions) {
          expect(first).toBe(next);
          next += own;
        }
        const sizes = partitions.map((partition) => partition.count);
        expect(next).toBe(runFirst + count);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect(() => assertDisjoint(partitions, { first: runFirst, count })).not.toThrow();
      }),
    );
  });
});

describe('assertDisjoint', () => {
  it.each([
    [
      [
        { edgeId: 'a', first: 0, count: 5 },
        { edgeId: 'b', first: 4, count: 5 },
      ],
    ],
    [
      [
        { edgeId: 'a', first: 3, count: 2 },
        { edgeId: 'b', first: 0, count: 8 },
      ],
    ],
    [[{ edgeId: 'a', first: 5, count: 6 }]],
    [[{ edgeId: 'a', first: -1, count: 2 }]],
  ])('rejects %j', (partitions) => {
    expect(() => assertDisjoint(partitions, { first: 0, count: 10 })).toThrow('the accounts');
  });
});
