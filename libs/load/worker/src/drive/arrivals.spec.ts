import { describe, expect, it } from '@jest/globals';
import type { LoadStage } from '../plan/edge-plan.ts';
import { Arrivals, RandomSource, scheduleLengths, uniformPhase } from './arrivals.ts';
import { LoadCurve, type LoadPoint, type RateChange } from './load-curve.ts';

const stage = (durationMs: number, startRate: number, endRate = startRate): LoadStage => ({
  name: 'stage',
  durationMs,
  startRate,
  endRate,
  exclude: false,
});

function timesOf(arrivals: Arrivals): number[] {
  const times: number[] = [];
  while (arrivals.next !== undefined) {
    times.push(arrivals.next.atMs);
    arrivals.advance();
  }
  return times;
}

/** A change of the rate, ordered once the load has reached a time. */
interface OrderedChange {
  readonly reachedMs: number;
  readonly atMs: number;
  readonly rate: number;
}

/** Follows the arrivals as an edge does; returns their times, and from when on each change holds. */
function followed(
  { stages, randomSeed }: { stages: readonly LoadStage[]; randomSeed: number },
  orders: readonly OrderedChange[],
): { readonly arrivals: readonly LoadPoint[]; readonly applied: readonly RateChange[] } {
  const arrivals = new Arrivals(new LoadCurve(stages), new RandomSource(randomSeed), { arrival: 'poisson' });
  const met: LoadPoint[] = [];
  const until = (untilMs: number): void => {
    for (let { next } = arrivals; next !== undefined && next.atMs <= untilMs; { next } = arrivals) {
      met.push(next);
      arrivals.advance();
    }
  };
  const applied = orders.map(({ reachedMs, atMs, rate }) => {
    until(reachedMs);
    return { atMs: arrivals.change({ atMs, rate }), rate };
  });
  until(Infinity);
  return { arrivals: met, applied };
}

describe('a change of the rate', () => {
  const stages = [stage(2_000, 100), stage(2_000, 0, 400)];
  const load = { model: 'open', stages, arrival: 'poisson', maxInflight: 1 } as const;
  const inTime = { reachedMs: 900, atMs: 1_000, rate: 1_000 };

  it('holds from its time to the end, over all stages', () => {
    const { arrivals, applied } = followed({ stages, randomSeed: 5 }, [inTime]);

    const countOf = (fromMs: number, toMs: number): number =>
      arrivals.filter(({ atMs }) => fromMs <= atMs && atMs < toMs).length;
    expect(applied).toEqual([{ atMs: 1_000, rate: 1_000 }]);
    expect(countOf(0, 1_000)).toBeLessThan(200);
    expect(countOf(1_000, 2_000)).toBeGreaterThan(800);
    expect(countOf(2_000, 4_000)).toBeGreaterThan(1_700);
    expect(arrivals.every(({ atMs, stage: index }) => index === (atMs < 2_000 ? 0 : 1))).toBe(true);
  });

  it('that comes late holds from the last arrival on', () => {
    const late = { reachedMs: 1_500, atMs: 1_000, rate: 0 };
    const { arrivals, applied } = followed({ stages, randomSeed: 5 }, [late]);

    const atMs = applied[0]?.atMs ?? NaN;
    expect(atMs).toBeGreaterThan(1_400);
    expect(arrivals.at(-1)?.atMs).toBeLessThanOrEqual(atMs);
    expect(arrivals.at(-1)?.atMs).toBeGreaterThan(atMs - 0.001);
  });

  it('ends a pause', () => {
    const pause = { reachedMs: 900, atMs: 1_000, rate: 0 };
    const { arrivals } = followed({ stages, randomSeed: 6 }, [
      pause,
      { reachedMs: 1_000, atMs: 3_000, rate: 500 },
    ]);

    expect(arrivals.filter(({ atMs }) => 1_000 < atMs && atMs < 3_000)).toEqual([]);
    expect(arrivals.filter(({ atMs }) => atMs >= 3_000).length).toBeGreaterThan(400);
  });

  it.each([1, 2, 3, 4, 5])('gives the schedule that the hive derives, with seed %i', async (randomSeed) => {
    const orders = [
      inTime,
      { reachedMs: 1_700, atMs: 1_650, rate: 3 },
      { reachedMs: 1_700, atMs: 2_500, rate: 777.7 },
      { reachedMs: 3_000, atMs: 3_100, rate: 0 },
      { reachedMs: 3_500, atMs: 3_200, rate: 50 },
    ];
    const { arrivals, applied } = followed({ stages, randomSeed }, orders);

    const lengths = await scheduleLengths({ load, randomSeed }, applied);
    expect(lengths).toEqual([0, 1].map((index) => arrivals.filter((one) => one.stage === index).length));
  });
});

describe('Arrivals', () => {
  it('have equal distances with uniform arrivals', () => {
    const arrivals = new Arrivals(new LoadCurve([stage(1_000, 100)]), new RandomSource(1), {
      arrival: 'uniform',
    });

    const times = timesOf(arrivals);

    const distances = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    expect(times).toHaveLength(100);
    for (const distance of distances) expect(distance).toBeCloseTo(10, 6);
  });

  it('become denser along a ramp, and as many as its area', () => {
    const curve = new LoadCurve([stage(10_000, 0, 1_000)]);

    const times = timesOf(new Arrivals(curve, new RandomSource(2), { arrival: 'uniform' }));

    const inFirstHalf = times.filter((time) => time < 5_000).length;
    expect(Math.abs(times.length - 5_000)).toBeLessThanOrEqual(1);
    expect(Math.abs(inFirstHalf - 1_250)).toBeLessThanOrEqual(1);
  });

  it('have the mean and variance of a Poisson process', () => {
    const curve = new LoadCurve([stage(100_000, 200)]);

    const times = timesOf(new Arrivals(curve, new RandomSource(3), { arrival: 'poisson' }));

    const gaps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
    expect(mean).toBeGreaterThan(4.8);
    expect(mean).toBeLessThan(5.2);
    expect(Math.sqrt(variance) / mean).toBeGreaterThan(0.95);
    expect(Math.sqrt(variance) / mean).toBeLessThan(1.05);
  });

  it('are equal for equal seeds', () => {
    const draw = (): number[] =>
      timesOf(new Arrivals(new LoadCurve([stage(1_000, 500)]), new RandomSource(4), { arrival: 'poisson' }));

    expect(draw()).toEqual(draw());
  });

  it('of all edges together have equal distances, and the number of one edge', () => {
    for (const [rate, edges] of [
      [1, 2],
      [5, 3],
      [100, 7],
    ] as const) {
      const curve = new LoadCurve([stage(1_000, rate / edges)]);

      const times = Array.from({ length: edges }, (_, index) => {
        const phase = uniformPhase(6, index, edges);
        return timesOf(new Arrivals(curve, new RandomSource(index), { arrival: 'uniform', phase }));
      }).flat();

      times.sort((a, b) => a - b);
      expect(times).toHaveLength(rate);
      times.slice(1).forEach((time, i) => {
        expect(time - (times[i] ?? 0)).toBeCloseTo(1_000 / rate, 6);
      });
    }
  });

  it('skip a pause, and have the number of their stage', () => {
    const curve = new LoadCurve([stage(100, 100), stage(1_000, 0), stage(100, 100)]);
    const arrivals = new Arrivals(curve, new RandomSource(5), { arrival: 'uniform' });

    const stages: number[] = [];
    while (arrivals.next !== undefined) {
      stages.push(arrivals.next.stage);
      arrivals.advance();
    }

    expect(stages.filter((index) => index === 0)).toHaveLength(10);
    expect(stages).not.toContain(1);
    expect(stages.filter((index) => index === 2)).toHaveLength(10);
  });
});

describe('the number of planned transactions', () => {
  const stages = [
    { name: 'warm', durationMs: 2_000, startRate: 0, endRate: 50, exclude: true },
    { name: 'steady', durationMs: 3_000, startRate: 50, endRate: 50, exclude: false },
  ];

  it.each(['poisson', 'uniform'] as const)('is what an edge draws of the same seed: %s', async (arrival) => {
    for (let randomSeed = 0; randomSeed < 50; randomSeed++) {
      const load = { model: 'open', stages, arrival, maxInflight: 1 } as const;
      const arrivals = new Arrivals(new LoadCurve(stages), new RandomSource(randomSeed), { arrival });
      const drawn = [0, 0];
      while (arrivals.next !== undefined) {
        drawn[arrivals.next.stage] = (drawn[arrivals.next.stage] ?? 0) + 1;
        arrivals.advance();
      }

      expect(await scheduleLengths({ load, randomSeed })).toEqual(drawn);
    }
  });

  it('is null in the closed model, and the area of the curve for a very long schedule', async () => {
    const long = { name: 's', durationMs: 3_600_000, startRate: 20_000, endRate: 40_000, exclude: false };
    const load = { arrival: 'poisson', maxInflight: 1, users: 1 } as const;

    expect(await scheduleLengths({ load: { ...load, model: 'closed', stages }, randomSeed: 1 })).toBeNull();
    expect(
      await scheduleLengths({ load: { ...load, model: 'open', stages: [long] }, randomSeed: 1 }),
    ).toEqual([108_000_000]);
  });
});
