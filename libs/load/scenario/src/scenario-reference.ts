import { referenceRows, referenceTable } from '#platform/config';
import { SCENARIO_SHAPE } from './scenario.ts';
import { aboutMetric, THRESHOLD_METRICS } from './threshold-metric.ts';

/** The keys of a scenario, for docs/scenario.md. */
export function scenarioKeys(): string {
  return referenceTable(referenceRows(SCENARIO_SHAPE));
}

/** The metrics of thresholds, for docs/scenario.md: latencies once, with their percentiles. */
export function scenarioMetrics(): string {
  const lines = new Set(
    THRESHOLD_METRICS.map((metric) => {
      const name = metric.replace(/_(?:p\d+|max)_ms$/, '_{p50,p90,p95,p99,p999,max}_ms');
      return `- \`${name}\`: ${aboutMetric(metric)}`;
    }),
  );
  return [...lines].join('\n');
}
