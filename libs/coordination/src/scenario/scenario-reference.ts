import { type ReferenceRow, referenceRows, referenceTable } from '#config';
import { aboutMetric, THRESHOLD_METRICS } from '../threshold/threshold-metric.ts';
import { SCENARIO_SHAPE } from './scenario.ts';
import { durationText } from './scenario-shapes.ts';

/** The keys of a scenario, for docs/scenario.md. */
export function scenarioKeys(): string {
  return referenceTable(referenceRows(SCENARIO_SHAPE).map(withDurationText));
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

/** As it is written in a scenario, not as it is read. */
function withDurationText(row: ReferenceRow): ReferenceRow {
  const isDuration = row.expects.startsWith('a duration') && row.fallback !== undefined;
  return isDuration ? { ...row, fallback: durationText(Number(row.fallback)) } : row;
}
