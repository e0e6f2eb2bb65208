import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hashOf, parametersOf, pathOf } from './hash-address.ts';

describe('hash addresses', () => {
  it('hold any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const hash = hashOf('query', { q: text });

        expect([pathOf(hash), parametersOf(hash)]).toEqual(['query', { q: text }]);
      }),
    );
  });

  it.each([
    ['', ''],
    ['#', ''],
    ['#/', ''],
    ['#/query', 'query'],
    ['#query?x=1', 'query'],
  ])('%s leads to the view %s', (hash, path) => {
    expect(pathOf(hash)).toBe(path);
  });
});
