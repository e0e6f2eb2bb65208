import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Durations, mergeDurations } from './durations.ts';

const duration = fc.oneof(
  { weight: 5, arbitrary: fc.double({ min: 0, max: 120_000, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0.5, 1, 2.5, 5, 100, 1_000, 30_000) },
);
const durationsMs = fc.array(duration, { minLength: 1, maxLength: 200 });
const MINUTE_MS = 60_000;

/** The smallest value such that at least this share of all values is not above it. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}

describe('Durations', () => {
  it('counts exactly in the buckets of the metric', () => {
    fc.assert(
      fc.property(durationsMs, (given) => {
        const durations = new Durations();
        for (const ms of given) durations.add(ms, 0);

        const { buckets, count, sumSeconds } = durations.snapshot(0);

        for (const { leSeconds, count: below } of buckets) {
          expect(below).toBe(given.filter((ms) => ms <= leSeconds * 1_000).length);
        }
        expect(count).toBe(given.length);
        expect(sumSeconds).toBeCloseTo(given.reduce((sum, ms) => sum + ms, 0) / 1_000, 6);
      }),
    );
  });

  it('returns quantiles with an error of at most 4 %', () => {
    fc.assert(
      fc.property(durationsMs, (given) => {
        const durations = new Durations();
        for (const ms of given) durations.add(ms, 0);

        const { p50Ms, p90Ms, p99Ms } = durations.snapshot(0);

        for (const [found, share] of [
          [p50Ms, 0.5],
          [p90Ms, 0.9],
          [p99Ms, 0.99],
        ] as const) {
          const exact = quantile(given, share);
          expect(Math.abs((found ?? NaN) - exact)).toBeLessThanOrEqual(0.04 * exact + 0.001);
        }
      }),
    );
  });

  it('counts forever, but returns quantiles of the last one to two minutes', () => {
    const durations = new Durations();
    durations.add(100, 0);
    durations.add(1, MINUTE_MS);

    const soon = durations.snapshot(MINUTE_MS);
    const later = durations.snapshot(2 * MINUTE_MS);
    durations.add(1, 2 * MINUTE_MS);
    const muchLater = durations.snapshot(10 * MINUTE_MS);

    expect(soon.p99Ms).toBeCloseTo(100, -1);
    expect(later.p99Ms).toBeCloseTo(1, 1);
    expect(muchLater).toMatchObject({ count: 3, p50Ms: undefined, p99Ms: undefined });
  });

  it('accepts values that no clock should return', () => {
    const durations = new Durations();
    for (const ms of [-1, 0, 1e12]) durations.add(ms, 0);

    const { count, buckets } = durations.snapshot(0);

    expect(count).toBe(3);
    expect(buckets.at(-1)?.count).toBe(2);
  });

  it('merges several to the result of one that counted everything', () => {
    fc.assert(
      fc.property(fc.array(durationsMs, { minLength: 1, maxLength: 4 }), (given) => {
        const parts = given.map((some) => {
          const durations = new Durations();
          for (const ms of some) durations.add(ms, 0);
          return durations.snapshot(0);
        });
        const whole = new Durations();
        for (const ms of given.flat()) whole.add(ms, 0);

        const merged = mergeDurations(parts);

        const { sumSeconds, ...counts } = whole.snapshot(0);
        expect(merged).toMatchObject(counts);
        expect(merged?.sumSeconds).toBeCloseTo(sumSeconds, 6);
      }),
    );
  });
});
