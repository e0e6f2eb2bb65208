import type { ScenarioThreshold } from '../scenario/scenario.ts';
import type { ThresholdMetric } from './threshold-metric.ts';

/** What is known of a run by now; null where nothing was measured. */
export type Figures = (metric: ThresholdMetric) => number | null;

/** A threshold beside what was measured. */
export interface ThresholdOutcome {
  readonly threshold: ScenarioThreshold;
  readonly value: number | null;
  /** What was not measured is not met. */
  readonly isMet: boolean;
}

export function evaluateThresholds(
  thresholds: readonly ScenarioThreshold[],
  figures: Figures,
): readonly ThresholdOutcome[] {
  return thresholds.map((threshold) => {
    const value = figures(threshold.metric);
    return { threshold, value, isMet: value !== null && isWithin(value, threshold) };
  });
}

/**
 * The first threshold that ends the run now: one that aborts, is due, and is missed. What was not measured
 * yet aborts nothing.
 */
export function abortingThreshold(
  thresholds: readonly ScenarioThreshold[],
  figures: Figures,
  measuredMs: number,
): ThresholdOutcome | undefined {
  const due = thresholds.filter(({ abort_on_fail: aborts, after }) => aborts && measuredMs >= after);
  return evaluateThresholds(due, figures).find(({ value, isMet }) => value !== null && !isMet);
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: ScenarioThreshold): boolean {
  return value >= min && value <= max;
}
