import type { Scenario, ScenarioThreshold } from './scenario.ts';
import { needsFeed, type ThresholdMetric } from './threshold-metric.ts';

/** The current measurements of a run; null without data. */
type Figures = (metric: ThresholdMetric) => number | null;

/** A threshold with its measured value. */
export interface ThresholdOutcome {
  readonly threshold: RunThreshold;
  readonly value: number | null;
  /** If not measured: false for a threshold of the scenario, null for a default and for `tx_lost`. */
  readonly isMet: boolean | null;
}

export function evaluateThresholds(
  thresholds: readonly RunThreshold[],
  figures: Figures,
): readonly ThresholdOutcome[] {
  return thresholds.map((threshold) => {
    const value = figures(threshold.metric);
    if (value === null) return { threshold, value, isMet: isUndecided(threshold) ? null : false };
    return { threshold, value, isMet: isWithin(value, threshold) };
  });
}

/**
 * The first threshold that ends the run now: it aborts, is due, and is missed. A missing measurement aborts
 * nothing.
 */
export function abortingThreshold(
  thresholds: readonly RunThreshold[],
  figures: Figures,
  measuredMs: number,
): ThresholdOutcome | undefined {
  const due = thresholds.filter(({ abort_on_fail: aborts, after }) => aborts && measuredMs >= after);
  return evaluateThresholds(due, figures).find(({ value, isMet }) => value !== null && isMet === false);
}

/** Losses are counted by every run, and without a value undecided: that is no fault of the target. */
function isUndecided({ isDefault, metric }: RunThreshold): boolean {
  return isDefault || metric === 'tx_lost';
}

function isWithin(value: number, { min = -Infinity, max = Infinity }: ScenarioThreshold): boolean {
  return value >= min && value <= max;
}

/** A threshold of a run: from its scenario, or the default of a metric without one. */
export interface RunThreshold extends ScenarioThreshold {
  readonly isDefault: boolean;
}

const COMMON = { abort_on_fail: false, after: 0, isDefault: true } as const;
const DEFAULTS: readonly RunThreshold[] = [
  { ...COMMON, metric: 'tx_lost', max: 0 },
  { ...COMMON, metric: 'tx_failed_ratio', max: 0.01 },
  { ...COMMON, metric: 'achieved_rate_ratio', min: 0.98 },
  { ...COMMON, metric: 'feed_anomalies', max: 0 },
];

/** The thresholds of the scenario, and the defaults of all other metrics. */
export function thresholdsOf(scenario: Scenario): readonly RunThreshold[] {
  const own = scenario.thresholds.map((threshold) => ({ ...threshold, isDefault: false }));
  const named = new Set(own.map(({ metric }) => metric));
  return [...own, ...DEFAULTS.filter(({ metric }) => !named.has(metric) && isKnowable(metric, scenario))];
}

/** The closed model has no planned rate; feed metrics need a feed. */
function isKnowable(metric: ScenarioThreshold['metric'], { load, correlation }: Scenario): boolean {
  if (metric === 'achieved_rate_ratio') return load.model === 'open';
  return correlation.feed !== 'off' || !needsFeed(metric);
}
