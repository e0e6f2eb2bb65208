import { describe, expect, it } from '@jest/globals';
import { entityId } from '#graph/model';
import { numericId } from './numeric-id.ts';

describe('the number of an element', () => {
  it('has the first 53 bits of its id', () => {
    expect(numericId('f'.repeat(32))).toBe(Number.MAX_SAFE_INTEGER);
    expect(numericId(`${'0'.repeat(13)}7${'f'.repeat(18)}`)).toBe(0);
    expect(numericId(`${'0'.repeat(12)}18${'0'.repeat(18)}`)).toBe(3);
  });

  it('is another one for each of many elements', () => {
    const numbers = new Set(
      Array.from({ length: 10_000 }, (_, at) => numericId(entityId('host', String(at)))),
    );

    expect(numbers.size).toBe(10_000);
    expect([...numbers].every(Number.isSafeInteger)).toBe(true);
  });
});
