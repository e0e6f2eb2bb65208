import { describe, expect, it } from '@jest/globals';
import { localMoment, momentOfLocal } from './local-moment.ts';

describe('the field of a moment', () => {
  it('shows the moment that it gives, whatever the time zone', () => {
    for (const moment of ['2026-11-20T08:15:00.000Z', '2026-06-30T23:59:00.000Z', '2026-01-01T00:00:00.000Z'])
      expect(momentOfLocal(localMoment(moment))).toBe(moment);
  });

  it('is empty without a moment', () => {
    expect([localMoment(undefined), localMoment('yesterday')]).toEqual(['', '']);
    expect([momentOfLocal(''), momentOfLocal('x')]).toEqual([undefined, undefined]);
  });
});
