import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Uint32List } from '../array/number-list.ts';
import { sortByHash } from './build-places.ts';

const hash = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 - 1 }));

describe('sortByHash', () => {
  it.each([
    ['as numbers', 2 ** 21],
    ['as large numbers, when they are many', 0],
  ])('orders entries by hash, equal ones as they stood, %s', (_, packedMax) => {
    const law = fc.property(fc.array(hash), (hashes) => {
      const rows = new Uint32List();
      for (let entry = 0; entry < hashes.length; entry++) rows.push(entry * 3);
      const expected = hashes.map((value, entry) => [value, entry * 3] as const);
      expected.sort(([a], [b]) => a - b);

      const sorted = sortByHash(Uint32Array.from(hashes), rows, packedMax);

      expect(Array.from(sorted.hashes, (value, at) => [value, sorted.rows[at]])).toEqual(expected);
    });
    fc.assert(law);
  });
});
