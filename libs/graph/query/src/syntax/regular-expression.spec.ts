import { describe, expect, it } from '@jest/globals';
import { compilePattern, PATTERN_SIZE_MAX, patternSize } from './regular-expression.ts';

describe('compilePattern', () => {
  it('returns an expression that searches anywhere in a text', () => {
    const compiled = compilePattern('b+');

    expect('expression' in compiled && compiled.expression.matcher('abbc').find()).toBe(true);
  });

  it.each([
    ['[', 'missing closing ]: `[`'],
    ['(?=a)', 'invalid or unsupported Perl syntax: `(?=`'],
    ['a**', 'invalid nested repetition operator: `**`'],
    [String.raw`(a)\1`, 'invalid escape sequence: `\\1`'],
    ['('.repeat(200), expect.stringMatching(/^missing closing \): `\(+…$/)],
    [`${'('.repeat(3_000)}${')'.repeat(3_000)}`, 'expression nests too deeply'],
    ['(a?){1000}(b?){1000}', 'the pattern is too large'],
    ['x'.repeat(PATTERN_SIZE_MAX + 1), 'the pattern is too large'],
  ])('says what is wrong with %s', (pattern, fault) => {
    const compiled = compilePattern(pattern);

    expect(compiled).toEqual({ fault });
  });
});

describe('patternSize', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    [String.raw`\d\.`, 2],
    ['[a-z][^]x]', 2],
    [String.raw`[\]a]`, 1],
    ['a{3}', 3],
    ['a{2,5}', 5],
    ['a{4,}', 4],
    ['a{0}', 1],
    ['ab{3}', 4],
    ['(ab){3}', 9],
    ['((a{10}){10}){10}', 1110],
    ['a{b}', 4],
    ['))', 2],
    ['((', 2],
  ])('counts %s with its repetitions written out', (pattern, size) => {
    const counted = patternSize(pattern);

    expect(counted).toBe(size);
  });
});
