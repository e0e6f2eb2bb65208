import { describe, expect, it } from '@jest/globals';
import { SentRate } from './load-metrics.ts';

const S = 1_000_000;

describe('SentRate', () => {
  it('is of the time since a question that is four seconds old at least', () => {
    const rate = new SentRate();

    const rates = [0, 1, 4, 5, 15].map((second) => rate.of('r', second * 100, second * S));

    expect(rates).toEqual([0, 0, 100, 100, 100]);
  });

  it('begins anew with another run, and forgets what is a minute old', () => {
    const rate = new SentRate();
    rate.of('r', 5_000, 0);

    expect(rate.of('other', 10, 5 * S)).toBe(0);
    expect(rate.of('other', 1_010, 80 * S)).toBe(0);
    expect(rate.of('other', 1_110, 90 * S)).toBe(10);
  });
});
