import { describe, expect, it } from '@jest/globals';
import { Histogram, Registry } from 'prom-client';
import { TallyHistogram } from './tally-histogram.ts';

const BUCKETS = [0.001, 0.01, 0.5, 1];
const NAMES = { name: 'test_seconds', help: 'time of a test' };
const OBSERVED: readonly (readonly [string, number])[] = [
  ['rows', 0.0005],
  ['rows', 0.001],
  ['count', 0.75],
  ['rows', 0.2],
  ['count', 30],
];

function both(): { readonly plain: Registry; readonly tallied: Registry } {
  const plain = new Registry();
  const tallied = new Registry();
  const histogram = new Histogram({ ...NAMES, labelNames: ['kind'], buckets: BUCKETS, registers: [plain] });
  const tally = new TallyHistogram({ ...NAMES, label: 'kind', buckets: BUCKETS, registers: [tallied] });
  for (const [kind, value] of OBSERVED) {
    histogram.observe({ kind }, value);
    tally.tally(kind, value);
  }
  return { plain, tallied };
}

describe('TallyHistogram', () => {
  it('reads as the histogram of the library', async () => {
    const { plain, tallied } = both();

    expect(await tallied.metrics()).toBe(await plain.metrics());
    expect(await plain.getMetricsAsJSON()).toMatchObject(await tallied.getMetricsAsJSON());
  });

  it('has no values before the first observation, and none after a reset', async () => {
    const { tallied } = both();
    const empty = new Registry();
    new TallyHistogram({ ...NAMES, label: 'kind', buckets: BUCKETS, registers: [empty] });

    tallied.resetMetrics();

    expect(await tallied.metrics()).toBe(await empty.metrics());
    expect(await empty.metrics()).not.toContain('kind=');
  });
});
