import { describe, expect, it } from '@jest/globals';
import { SentRate } from './load-metrics.ts';

const S = 1_000_000;

describe('SentRate', () => {
  it('covers the time since a call at least four seconds ago', () => {
    const rate = new SentRate();

    const rates = [0, 1, 4, 5, 15].map((second) => rate.of(second * 100, second * S));

    expect(rates).toEqual([0, 0, 100, 100, 100]);
  });

  it('drops samples older than a minute', () => {
    const rate = new SentRate();
    rate.of(10, 5 * S);

    expect(rate.of(1_010, 80 * S)).toBe(0);
    expect(rate.of(1_110, 90 * S)).toBe(10);
  });
});
