import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { planMerge } from './compaction-plan.ts';
import { MERGE_WIDTH, TIER_BYTES_MIN, TIER_FACTOR } from './limits.ts';

const SMALL = TIER_BYTES_MIN / 2;
const LARGE = TIER_BYTES_MIN * TIER_FACTOR ** 3;

describe('planMerge', () => {
  it('leaves fewer segments than the width alone', () => {
    expect(planMerge([SMALL, SMALL, SMALL])).toBeUndefined();
  });

  it('takes the neighbours of one size, and not the large one before them', () => {
    expect(planMerge([LARGE, SMALL, SMALL, SMALL, SMALL])).toEqual({ from: 1, count: 4 });
  });

  it('takes in a small one between larger ones rather than wait for ever', () => {
    expect(planMerge([LARGE, SMALL, LARGE, LARGE])).toEqual({ from: 0, count: 4 });
  });

  it('keeps the number of segments logarithmic, and rewrites each byte a logarithmic number of times', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: TIER_BYTES_MIN * 4 }), { maxLength: 400 }),
        (flushes) => {
          let segments: number[] = [];
          let rewritten = 0;
          for (const bytes of flushes) {
            segments = [...segments, bytes];
            for (let plan = planMerge(segments); plan !== undefined; plan = planMerge(segments)) {
              const inputs = segments.slice(plan.from, plan.from + plan.count);
              const merged = inputs.reduce((sum, one) => sum + one, 0);
              segments.splice(plan.from, plan.count, merged);
              rewritten += merged;
            }
          }
          const total = flushes.reduce((sum, one) => sum + one, 0);
          const levels = 2 + Math.log(1 + total / TIER_BYTES_MIN) / Math.log(TIER_FACTOR);
          expect(segments.length).toBeLessThan(MERGE_WIDTH * (levels + 1));
          expect(rewritten).toBeLessThanOrEqual(total * 2 * (levels + 1));
        },
      ),
      { numRuns: 50 },
    );
  });
});
