import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BufferBag } from '../array/buffer-bag.ts';
import { buildHashIndex, HashIndex, type HashedNumbers } from './hash-index.ts';

const KNOWN_BITS = 28;
/** Arbitrary hashes, and hashes of few values, so that some are equal. */
const hash = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: 2 ** 32 - 3, max: 2 ** 32 - 1 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);
const hashes = fc.array(hash, { maxLength: 400 });

function indexOf(entries: HashedNumbers): HashIndex {
  const bag = new BufferBag();
  return new HashIndex(buildHashIndex(bag, entries), bag);
}

/** The numbers of all candidates for the hash. */
function candidates(index: HashIndex, value: number): number[] {
  const found: number[] = [];
  for (let place = index.first(value); index.at(place, value) >= 0; place++)
    found.push(index.at(place, value));
  return found;
}

describe('HashIndex', () => {
  it('finds each number by its hash', () => {
    const law = fc.property(hashes, (list) => {
      const index = indexOf({ hashes: Uint32Array.from(list), bound: list.length });

      list.forEach((value, number) => {
        expect(candidates(index, value)).toContain(number);
      });
    });
    fc.assert(law);
  });

  it('returns all entries of a hash in ascending order, including several of one number', () => {
    const entry = fc.record({ hash, row: fc.nat({ max: 50 }) });
    const law = fc.property(fc.array(entry, { maxLength: 300 }), hash, (entries, wanted) => {
      const index = indexOf({
        hashes: Uint32Array.from(entries, (each) => each.hash),
        numbers: Uint32Array.from(entries, (each) => each.row),
        bound: 51,
      });
      const expected = entries.filter((each) => each.hash === wanted).map(({ row }) => row);

      const found = candidates(index, wanted);

      expect(found).toEqual(found.toSorted((a, b) => a - b));
      expect(found).toEqual(expect.arrayContaining(expected));
      expect(found.length).toBeGreaterThanOrEqual(expected.length);
    });
    fc.assert(law);
  });

  it('keeps enough of each hash for another index of any size', () => {
    const law = fc.property(hashes, fc.array(hash, { maxLength: 3_000 }), (list, more) => {
      const known = indexOf({ hashes: Uint32Array.from(list), bound: list.length }).hashes();
      const all = Uint32Array.from([...known, ...more]);
      const next = indexOf({ hashes: all, bound: all.length });

      list.forEach((value, number) => {
        expect((known[number] ?? 0) >>> (32 - KNOWN_BITS)).toBe(value >>> (32 - KNOWN_BITS));
        expect(candidates(next, value)).toContain(number);
      });
    });
    fc.assert(law);
  });
});
