import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FixedDictionary } from './fixed-dictionary.ts';

const WORDS = 5;

/** Few different first words, which select the slot: values collide. */
const arbitraryValue = fc
  .tuple(fc.constantFrom(0, 1, 64, 127, 128, -1), fc.nat({ max: 60 }))
  .map(([first, last]) => [first, 0, 0, 0, last]);

const wordsOf = (values: readonly (readonly number[])[]) => Int32Array.from(values.flat());

describe('FixedDictionary', () => {
  it('numbers values in the order of first occurrence, before and after `clear`', () => {
    const rounds = fc.array(fc.array(arbitraryValue, { maxLength: 300, size: 'max' }), { maxLength: 3 });
    fc.assert(
      fc.property(rounds, (all) => {
        const dictionary = new FixedDictionary(WORDS * 4);
        for (const values of all) {
          const words = wordsOf(values);
          const codes = values.map((_, at) => dictionary.codeOf(words, at * WORDS));

          const different = [...new Map(values.map((value) => [String(value), value])).values()];
          const expected = new Map(different.map((value, code) => [String(value), code]));
          expect(codes).toEqual(values.map((value) => expected.get(String(value))));
          expect(dictionary.size).toBe(different.length);
          const bytes = Uint8Array.from(dictionary.bytes);
          expect(new Int32Array(bytes.buffer)).toEqual(wordsOf(different));
          dictionary.clear();
        }
      }),
      { numRuns: 50 },
    );
  });

  it('keeps appended values, including duplicates', () => {
    const dictionary = new FixedDictionary(WORDS * 4);
    const values = Array.from({ length: 200 }, (_, at) => [at >> 1, 0, 0, 0, at]);
    const words = wordsOf(values);

    const codes = values.map((_, at) => dictionary.append(words, at * WORDS));

    expect(codes).toEqual(values.map((_, at) => at));
    expect(new Int32Array(Uint8Array.from(dictionary.bytes).buffer)).toEqual(words);
  });
});
