import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ClockEstimate } from './clock-probing.ts';

const wayUs = fc.integer({ min: 0, max: 500_000 });

describe('ClockEstimate', () => {
  it('is undefined before the first probe, and ignores a probe that runs backwards', () => {
    const estimate = new ClockEstimate();
    estimate.add({ t0Us: 100, t1Us: 50, t2Us: 40, t3Us: 110 });
    estimate.add({ t0Us: 100, t1Us: 50, t2Us: 90, t3Us: 110 });

    expect(estimate.best).toBeUndefined();
  });

  it('deviates by at most `errorUs`, for any delays in both directions', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.array(fc.tuple(wayUs, wayUs, wayUs), { minLength: 1, maxLength: 100 }),
        (offset, ways) => {
          const estimate = new ClockEstimate();
          let nowUs = 1_000;
          for (const [there, stay, back] of ways) {
            const t1Us = nowUs + there + offset;
            estimate.add({ t0Us: nowUs, t1Us, t2Us: t1Us + stay, t3Us: nowUs + there + stay + back });
            nowUs += there + stay + back;
          }

          const { offsetUs, errorUs } = estimate.best ?? { offsetUs: NaN, errorUs: NaN };
          expect(Math.abs(offsetUs - offset)).toBeLessThanOrEqual(errorUs);
        },
      ),
    );
  });

  it('uses the fastest probe', () => {
    const estimate = new ClockEstimate();
    estimate.add({ t0Us: 0, t1Us: 905, t2Us: 905, t3Us: 10 });
    estimate.add({ t0Us: 100, t1Us: 1_800, t2Us: 1_800, t3Us: 1_100 });

    expect(estimate.best).toEqual({ offsetUs: 900, errorUs: 5 });
  });
});
