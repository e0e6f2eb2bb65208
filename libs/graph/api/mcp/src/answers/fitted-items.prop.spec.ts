import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bytesOf, cutOf, fittedItems, LIST_BYTES_MAX } from './fitted-items.ts';

const sizes = fc.constantFrom(0, 10, 1_000, 40_000, 200_000);
const value = fc.oneof(
  sizes.map((size) => 'ü'.repeat(size)),
  sizes.map((size) => Array.from({ length: size / 100 }, (_, i) => `item ${i}`)),
  fc.integer(),
  fc.constant(null),
);
const item = fc.oneof(
  fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 6 }),
  fc.array(value, { maxLength: 5 }),
  sizes.map((size) => Object.fromEntries(Array.from({ length: size / 100 }, (_, i) => [`field${i}`, i]))),
);

describe('fittedItems', () => {
  it('returns a prefix of any list within the bound', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), (items) => {
        const { items: shown, shortened } = fittedItems(items);

        expect(shown.reduce<number>((sum, each) => sum + bytesOf(each), 0)).toBeLessThanOrEqual(
          LIST_BYTES_MAX,
        );
        expect(shown.length).toBeLessThanOrEqual(items.length);
        expect(shortened).toBeLessThanOrEqual(items.length);
        for (const [index, each] of shown.entries())
          if (bytesOf(items[index]) <= 32 * 1024)
            expect(JSON.stringify(each)).toBe(JSON.stringify(items[index]));
      }),
      { numRuns: 50 },
    );
  });

  it('shortens the texts and lists of a single oversized record', () => {
    const { items, shortened } = fittedItems([
      { id: 1, text: 'x'.repeat(1_000_000), list: Array(5_000).fill('y') },
    ]);

    expect([items.length, shortened]).toEqual([1, 1]);
    expect(JSON.stringify(items)).toMatch(/x… \(1000000 characters\).*… \(5000 items\)/);
  });

  it('leaves out the stamp of a record, but no property with the same name', () => {
    const source = { connector_id: 'c' };
    const properties = { version: 2, source: 's', id: 'x' };
    const record = { id: 'a', source, version: 1, created_at: 't', deleted_at: null, properties };

    expect(fittedItems([{ entity: record }]).items).toEqual([{ entity: { id: 'a', properties } }]);
  });
});

describe('cutOf', () => {
  it('reports the bound that was reached', () => {
    expect(cutOf(3, 3, 3, 'h')).toBeUndefined();
    expect(cutOf(3, 9, 3, 'h')).toEqual({ shown: 3, of: 9, bound: 'rows', hint: 'h' });
    expect(cutOf(2, 9, 3, 'h')).toMatchObject({ bound: 'bytes' });
  });
});
