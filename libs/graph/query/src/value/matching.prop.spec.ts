import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed } from '#platform/foundation';
import { compilePattern } from '../syntax/regular-expression.ts';
import { ExpressionSearch } from './expression-search.ts';
import { likePattern, partPattern } from './like-pattern.ts';

/** Few characters, so that patterns match now and then; of one, two and no letters. */
const CHARACTERS = ['a', 'b', '_', ' ', '\n', 'é', '😀', 'K'];
const text = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 40 }).map((all) => all.join(''));

const atom = fc.constantFrom(
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\W',
  '😀',
  'é',
  '(?i:k)',
  '\\s',
  '(?s:.)',
);
const empty = fc.constantFrom('^', '$', '\\b', '\\B', '\\A', '\\z', '(?m:^)', '(?m:$)');
const suffix = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,3}', '*?');
const { expression } = fc.letrec<{ expression: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3 },
    { weight: 4, arbitrary: fc.tuple(atom, suffix).map(([one, times]) => one + times) },
    { weight: 1, arbitrary: empty },
    { weight: 2, arbitrary: fc.tuple(tie('expression'), suffix).map(([one, times]) => `(${one})${times}`) },
  ),
  expression: fc
    .array(fc.array(tie('piece'), { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })
    .map((branches) => branches.map((pieces) => pieces.join('')).join('|')),
}));

describe('matching in steps', () => {
  it('answers for an expression what re2js answers', () => {
    fc.assert(
      fc.property(expression, text, (pattern, value) => {
        const compiled = compilePattern(pattern);
        if (!('expression' in compiled)) throw new Error(`expected ${pattern} to compile: ${compiled.fault}`);

        expect(completed(new ExpressionSearch(compiled.expression).run(value))).toBe(
          compiled.expression.test(value),
        );
      }),
      { numRuns: 2_000 },
    );
  });

  it('answers for LIKE and CONTAINS what a plain definition answers', () => {
    const pattern = fc.array(fc.constantFrom(...CHARACTERS, '%', '%', '_'), { maxLength: 12 });
    fc.assert(
      fc.property(pattern, text, (characters, value) => {
        const source = characters.map((one) => (one === '%' ? '[^]*' : one === '_' ? '[^]' : one)).join('');
        const like = likePattern(characters.join(''), false);
        const expected = new RegExp(`^${source}$`, 'u').test(value);
        const part = characters.slice(0, 2).join('');

        expect([like.matches(value), completed(like.steps(value))]).toEqual([expected, expected]);
        expect(completed(partPattern(part).steps(value))).toBe(value.includes(part));
      }),
      { numRuns: 2_000 },
    );
  });
});
