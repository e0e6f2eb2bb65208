import type { Scenario, ScenarioThreshold } from './scenario.ts';
import { needsFeed } from './threshold-metric.ts';

/** A threshold of a run: of its scenario, or one that holds because the scenario has none for the metric. */
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

/** What the scenario names, and each default whose metric it does not name. */
export function thresholdsOf(scenario: Scenario): readonly RunThreshold[] {
  const own = scenario.thresholds.map((threshold) => ({ ...threshold, isDefault: false }));
  const named = new Set(own.map(({ metric }) => metric));
  return [...own, ...DEFAULTS.filter(({ metric }) => !named.has(metric) && isKnowable(metric, scenario))];
}

/** Users of the closed model ask for no rate; a feed that is not read shows nothing. */
function isKnowable(metric: ScenarioThreshold['metric'], { load, correlation }: Scenario): boolean {
  if (metric === 'achieved_rate_ratio') return load.model === 'open';
  return correlation.feed !== 'off' || !needsFeed(metric);
}
