import type { Scenario } from './scenario.ts';

/** A stage with its ramp resolved: the rate goes from start to end in a straight line. */
export interface ResolvedStage {
  readonly name: string;
  readonly durationMs: number;
  /** Transactions a second; both 0 in the closed model. */
  readonly startRate: number;
  readonly endRate: number;
  readonly isExcluded: boolean;
}

/** A ramp starts where the stage before ended; the first at 0. */
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

/** Of part number `index` of `count`, in whole numbers that differ by one at most and sum up to `total`. */
export function shareOfTotal(total: number, index: number, count: number): number {
  return Math.floor(total / count) + (index < total % count ? 1 : 0);
}
