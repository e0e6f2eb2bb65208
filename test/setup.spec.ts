import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

describe('property tests', () => {
  it('generate arrays up to their maximum length', () => {
    const lengths = fc.sample(fc.array(fc.nat(), { maxLength: 400 }), 100).map(({ length }) => length);

    const long = lengths.filter((length) => length > 200);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(400);
    expect(long.length).toBeGreaterThan(10);
  });
});
