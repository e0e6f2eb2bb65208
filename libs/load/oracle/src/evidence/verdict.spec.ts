import { describe, expect, it } from '@jest/globals';
import { verdictOf } from './verdict.ts';

describe('a verdict', () => {
  it.each([
    [0, 1, 1, 'pass'],
    [0, 50, 50, 'pass'],
    [0, 0, 0, 'inconclusive'],
    [0, 0, 1, 'inconclusive'],
    [0, 49, 50, 'inconclusive'],
    [1, 50, 50, 'fail'],
    [1, 0, 0, 'fail'],
    [7, 3, 50, 'fail'],
  ])('on %d violations, with %d of %d checked, is %s', (violations, checked, total, verdict) => {
    expect(verdictOf(violations, { checked, total })).toBe(verdict);
  });
});
