import { describe, expect, it } from '@jest/globals';
import { compareInstants, isInstant } from './instant.ts';

describe('an instant', () => {
  it.each(['', 'yesterday', 'undefined', '2026', '2026-13-01T00:00:00Z', '2026-01-01T00:00:00', 7, null, {}])(
    'is before all others if it is none: %p',
    (none) => {
      expect(compareInstants(none, '1970-01-01T00:00:00Z')).toBeLessThan(0);
      expect(compareInstants('1970-01-01T00:00:00Z', none)).toBeGreaterThan(0);
      expect(compareInstants(none, undefined)).toBe(0);
    },
  );

  it('is a time of any zone and precision', () => {
    for (const text of [
      '2026-01-01T00:00:00Z',
      '2026-01-01t00:00:00.123456789+05:30',
      '2016-12-31T23:59:60Z',
    ])
      expect(isInstant(text)).toBe(true);
    expect(isInstant('yesterday')).toBe(false);
  });
});
