import type { Scenario, ScenarioThreshold } from './scenario.ts';
import { needsFeed, type ThresholdMetric } from './threshold-metric.ts';

/** What is known of a measurement: it is within these bounds, which are one value where all is decided. */
export interface Bounds {
  readonly atLeast: number;
  readonly atMost: number;
}

/** The current measurements of a run; null without data. */
type Figures = (metric: ThresholdMetric) => Bounds | null;

/** A threshold with its measured value. */
export interface ThresholdOutcome {
  readonly threshold: RunThreshold;
  /** Null where nothing was measured, and where what is undecided could decide it. */
  readonly value: number | null;
  /** Null where undecided; if not measured, false for a threshold of the scenario, null for a default. */
  readonly isMet: boolean | null;
}

export function evaluateThresholds(
  thresholds: readonly RunThreshold[],
  figures: Figures,
): readonly ThresholdOutcome[] {
  return thresholds.map((threshold) => {
    const measured = figures(threshold.metric);
    if (measured === null) return { threshold, value: null, isMet: threshold.isDefault ? null : false };
    return { threshold, ...outcomeWithin(measured, threshold) };
  });
}

/** Missed or met only if it would be so whatever the undecided outcomes are: unknown never convicts. */
function outcomeWithin(
  { atLeast, atMost }: Bounds,
  { min = -Infinity, max = Infinity }: ScenarioThreshold,
): Pick<ThresholdOutcome, 'value' | 'isMet'> {
  if (atLeast > max) return { value: atLeast, isMet: false };
  if (atMost < min) return { value: atMost, isMet: false };
  return atLeast >= min && atMost <= max ? { value: atMost, isMet: true } : { value: null, isMet: null };
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
