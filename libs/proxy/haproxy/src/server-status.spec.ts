import { describe, expect, it } from '@jest/globals';
import { isHealthyStatus } from './server-snapshot.ts';

describe('isHealthyStatus', () => {
  it.each(['UP', 'UP 1/3', 'no check'])('returns true for %s', (status) => {
    expect(isHealthyStatus(status)).toBe(true);
  });

  it.each([
    'DOWN',
    'DOWN 1/2',
    'DRAIN',
    'MAINT',
    'MAINT (via a/b)',
    'MAINT (resolution)',
    'NOLB',
    'UPSET',
    '',
  ])('returns false for %s', (status) => {
    expect(isHealthyStatus(status)).toBe(false);
  });
});
