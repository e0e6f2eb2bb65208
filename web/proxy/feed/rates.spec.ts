import { describe, expect, it } from '@jest/globals';
import { Rates } from './rates.ts';

describe('Rates', () => {
  it('returns the increase per second between two readings', () => {
    const rates = new Rates();

    rates.note('a', 100, 1_000);
    const first = rates.of('a');
    rates.note('a', 150, 3_000);

    expect([first, rates.of('a'), rates.of('b')]).toEqual([undefined, 25, undefined]);
  });

  it('returns undefined after a counter reset, and keeps the rate for a second reading at one time', () => {
    const rates = new Rates();
    rates.note('a', 0, 0);
    rates.note('a', 10, 1_000);

    rates.note('a', 10, 1_000);
    const again = rates.of('a');
    rates.note('a', 3, 2_000);

    expect([again, rates.of('a')]).toEqual([10, undefined]);
  });
});
