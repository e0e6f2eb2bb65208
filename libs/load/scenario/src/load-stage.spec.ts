import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { resolveStages, shareOfStages, shareOfTotal } from './load-stage.ts';
import { parseScenario } from './parse-scenario.ts';

function loadOf(stages: readonly object[]) {
  const target = { chain_id: 31_337, rpc_urls: ['http://x'], feed_url: 'ws://x' };
  return parseScenario({ name: 'x', target, accounts: { count: 9 }, load: { stages } }).load;
}

describe('resolveStages', () => {
  it('starts a ramp at the end rate of the previous stage, and the first at 0', () => {
    const stages = resolveStages(
      loadOf([
        { duration: '1s', ramp_to: 40, exclude: true },
        { duration: '2s', rate: 100, name: 'steady' },
        { duration: '3s', ramp_to: 10 },
      ]),
    );

    expect(stages).toEqual([
      { name: 'stage 1', durationMs: 1_000, startRate: 0, endRate: 40, isExcluded: true },
      { name: 'steady', durationMs: 2_000, startRate: 100, endRate: 100, isExcluded: false },
      { name: 'stage 3', durationMs: 3_000, startRate: 100, endRate: 10, isExcluded: false },
    ]);
    expect(shareOfStages(stages, 4)[2]).toMatchObject({ startRate: 25, endRate: 2.5 });
  });
});

describe('shareOfTotal', () => {
  it('sums up to the whole', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 300 }), (total, count) => {
        const shares = Array.from({ length: count }, (_, index) => shareOfTotal(total, index, count));

        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
