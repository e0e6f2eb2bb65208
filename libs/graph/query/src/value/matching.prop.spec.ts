import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { completed } from '#platform/foundation';
import { compilePattern, PATTERN_SIZE_MAX, patternSize } from '../syntax/regular-expression.ts';
import { ExpressionSearch } from './expression-search.ts';
import { likePattern, partPattern } from './like-pattern.ts';
import { STEPS_PER_TURN } from './text-matcher.port.ts';

/** Few characters, so that patterns sometimes match. */
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
const { expression: anyExpression } = fc.letrec<{ expression: string; piece: string }>((tie) => ({
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
/** Nested repetitions may multiply beyond the size that is compiled. */
const expression = anyExpression.filter((pattern) => patternSize(pattern) <= PATTERN_SIZE_MAX);

describe('matching in steps', () => {
  it('returns the results of re2js for an expression', () => {
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

  it('has the same word characters as re2js', () => {
    const characters = Array.from({ length: 0x250 }, (_, point) => String.fromCodePoint(point));
    const compiled = compilePattern('a\\b.');
    if (!('expression' in compiled)) throw new Error(compiled.fault);
    const search = new ExpressionSearch(compiled.expression);

    const found = characters.filter((character) => completed(search.run(`a${character}`)));

    const { expression: same } = compiled;
    expect(found).toEqual(characters.filter((character) => same.test(`a${character}`)));
    expect(found).toContain('@');
  });

  it('returns the results of a plain definition for LIKE and CONTAINS', () => {
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

/** Number of yields of a matcher's steps. */
function turnsOf(steps: Generator<void, boolean>): number {
  let turns = 0;
  while (steps.next().done !== true) turns++;
  return turns;
}

describe('the cost of a pattern', () => {
  it('is at least the number of its steps if it is matched in steps only', () => {
    const pattern = fc.array(fc.constantFrom('a', '%', '_', 'b'), { maxLength: 6 });
    fc.assert(
      fc.property(pattern, fc.boolean(), fc.integer({ min: 1, max: 4 }), (parts, ignoresCase, turns) => {
        const like = likePattern(`${parts.join('')}_`, ignoresCase);
        const value = 'a'.repeat(turns * STEPS_PER_TURN);

        const taken = turnsOf(like.steps(value)) * STEPS_PER_TURN;

        expect(like.cost(value.length)).toBeGreaterThanOrEqual(taken);
      }),
      { numRuns: 30, examples: [[[], false, 2]] },
    );
  });

  it.each([
    ['%a%', false],
    ['%a%', true],
    ['a%', true],
    ['%a', true],
    ['a', true],
  ])('of %s grows with the text that is read (ignoring case: %s)', (pattern, ignoresCase) => {
    const like = likePattern(pattern, ignoresCase);

    expect(like.cost(100_000_000)).toBeGreaterThan(STEPS_PER_TURN);
    expect(like.cost(1_000)).toBeLessThan(STEPS_PER_TURN);
  });

  it.each(['a', 'a%', '%a', 'a%b'])('of %s is little where only the ends of the text are read', (pattern) => {
    expect(likePattern(pattern, false).cost(100_000_000)).toBeLessThan(STEPS_PER_TURN);
  });
});
