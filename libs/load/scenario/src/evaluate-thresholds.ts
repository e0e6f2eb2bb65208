import type { ScenarioThreshold } from './scenario.ts';
import type { RunThreshold } from './default-thresholds.ts';
import type { ThresholdMetric } from './threshold-metric.ts';

/** What is known of a run by now; null where nothing was measured. */
export type Figures = (metric: ThresholdMetric) => number | null;

/** A threshold beside what was measured. */
export interface ThresholdOutcome {
  readonly threshold: RunThreshold;
  readonly value: number | null;
  /** What the scenario asks for and was not measured is not met; of a default that is not known: null. */
  readonly isMet: boolean | null;
}

export function evaluateThresholds(
  thresholds: readonly RunThreshold[],
  figures: Figures,
): readonly ThresholdOutcome[] {
  return thresholds.map((threshold) => {
    const value = figures(threshold.metric);
    if (value === null) return { threshold, value, isMet: threshold.isDefault ? null : false };
    return { threshold, value, isMet: isWithin(value, threshold) };
  });
}

/**
 * The first threshold that ends the run now: one that aborts, is due, and is missed. What was not measured
 * yet aborts nothing.
 */
export function abortingThreshold(
  thresholds: readonly RunThreshold[],
  figures: Figures,
  measuredMs: number,
): ThresholdOutcome | undefined {
  const due = thresholds.filter(({ abort_on_fail: aborts, after }) => aborts && measuredMs >= after);
  return evaluateThresholds(due, figures).find(({ value, isMet }) => value !== null && isMet === false);
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: ScenarioThreshold): boolean {
  return value >= min && value <= max;
}
