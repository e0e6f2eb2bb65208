import type { Histogram } from 'hdr-histogram-js';

const US_PER_S = 1_000_000;

/** A latency in Prometheus form; the sum is the mean times the count. */
export interface LatencyBuckets {
  readonly upTo: readonly number[];
  readonly count: number;
  readonly sumSeconds: number;
}

/** The internals of a histogram without WebAssembly. */
interface CountTable {
  readonly countsArrayLength: number;
  valueFromIndex(index: number): number;
  getCountAtIndex(index: number): number;
}

/** The cumulative counts of a histogram in microseconds, for ascending bounds in seconds. */
export function bucketsOf(histogram: Histogram, bounds: readonly number[]): LatencyBuckets {
  const { totalCount: count, mean } = histogram;
  const upTo = countsUpTo(
    histogram,
    bounds.map((seconds) => seconds * US_PER_S),
  );
  return { upTo, count, sumSeconds: (mean * count) / US_PER_S };
}

/** Counts up to bounds in the histogram's unit, to its precision. */
function countsUpTo(histogram: Histogram, bounds: readonly number[]): readonly number[] {
  const table = histogram as Histogram & CountTable;
  const counts: number[] = [];
  let at = 0;
  let count = 0;
  for (const bound of bounds) {
    while (at < table.countsArrayLength && table.valueFromIndex(at) <= bound)
      count += table.getCountAtIndex(at++);
    counts.push(count);
  }
  return counts;
}
