import type { Scenario } from './scenario.ts';

/** A stage with its ramp resolved: the rate changes linearly from start to end. */
export interface ResolvedStage {
  readonly name: string;
  readonly durationMs: number;
  /** Transactions per second; both 0 in the closed model. */
  readonly startRate: number;
  readonly endRate: number;
  readonly isExcluded: boolean;
}

/** A ramp starts at the end rate of the previous stage; the first at 0. */
export function resolveStages({ stages }: Scenario['load']): readonly ResolvedStage[] {
  let rateBefore = 0;
  return stages.map(({ name, duration, rate, ramp_to: rampTo, exclude }, index) => {
    const endRate = rate ?? rampTo ?? 0;
    const startRate = rampTo === undefined ? endRate : rateBefore;
    rateBefore = endRate;
    return {
      name: name ?? `stage ${index + 1}`,
      durationMs: duration,
      startRate,
      endRate,
      isExcluded: exclude,
    };
  });
}

/** One of `count` equal parts of the rates. */
export function shareOfStages(stages: readonly ResolvedStage[], count: number): readonly ResolvedStage[] {
  return stages.map((stage) => ({
    ...stage,
    startRate: stage.startRate / count,
    endRate: stage.endRate / count,
  }));
}

/** Part `index` of `count`: integers that differ by at most one and add up to `total`. */
export function shareOfTotal(total: number, index: number, count: number): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}
