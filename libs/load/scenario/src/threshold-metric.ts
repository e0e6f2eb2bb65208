const LATENCIES = {
  feed_latency: 'from the intended time of a transaction to its feed message',
  feed_latency_from_send: 'from the sending of a transaction to its feed message',
  block_latency: 'from the intended time of a transaction to the reading of its block',
  block_latency_from_send: 'from the sending of a transaction to the reading of its block',
  ack_latency: 'from the sending of a transaction to the answer',
  send_delay: 'from the intended time of a transaction to its sending',
} as const;

const PERCENTILES = {
  p50: 50,
  p90: 90,
  p95: 95,
  p99: 99,
  p999: 99.9,
  max: 100,
} as const;

type LatencyName = keyof typeof LATENCIES;
type PercentileName = keyof typeof PERCENTILES;
export type LatencyMetric = `${LatencyName}_${PercentileName}_ms`;

/** The edges' names of the histograms. */
export const HISTOGRAM_OF: Readonly<Record<LatencyName, string>> = {
  feed_latency: 'intended_feed',
  feed_latency_from_send: 'send_feed',
  block_latency: 'intended_block',
  block_latency_from_send: 'send_block',
  ack_latency: 'send_ack',
  send_delay: 'send_delay',
};

const COUNTED = {
  tx_failed_ratio:
    'rejected, unknown and reverted transactions that no mix entry expects, relative to sent transactions; ' +
    'not those whose outcome was lost with their edge; no value where undecided ones could decide the threshold',
  tx_lost:
    'acknowledged transactions that are in no block; no value where undecided ones could decide the threshold',
  achieved_rate_ratio: 'sent transactions, relative to the load curve',
  feed_anomalies:
    'missing sequence numbers, repeated or replaced messages, and contradictions between the feed and the chain; ' +
    'not lost connections',
  correlation_miss_ratio:
    'accepted transactions that were not in the feed in time, relative to sent transactions',
  included_per_second: 'included transactions per second of the measured stages',
  not_sent: 'planned transactions that were not sent',
  unknown: 'transactions with an unknown outcome',
  events_dropped: "telemetry events dropped because an edge's buffer was full",
} as const;

export type CountedMetric = keyof typeof COUNTED;
export type ThresholdMetric = LatencyMetric | CountedMetric;

/** The parts of a latency metric. */
export interface LatencyParts {
  readonly histogram: string;
  readonly percentile: number;
}

const LATENCY_PARTS = new Map<string, LatencyParts>();
const ABOUT = new Map<string, string>(Object.entries(COUNTED));
for (const [latency, about] of Object.entries(LATENCIES)) {
  for (const [name, percentile] of Object.entries(PERCENTILES)) {
    const metric = `${latency}_${name}_ms`;
    LATENCY_PARTS.set(metric, { histogram: HISTOGRAM_OF[latency as LatencyName], percentile });
    ABOUT.set(metric, about);
  }
}

/** All threshold metrics. */
export const THRESHOLD_METRICS = [...ABOUT.keys()] as readonly ThresholdMetric[];

/** Undefined for a counter metric. */
export function latencyParts(metric: ThresholdMetric): LatencyParts | undefined {
  return LATENCY_PARTS.get(metric);
}

/** Whether a metric is available only with the feed. */
export function needsFeed(metric: ThresholdMetric): boolean {
  const isCounted = metric === 'correlation_miss_ratio' || metric === 'feed_anomalies';
  return isCounted || latencyParts(metric)?.histogram.endsWith('_feed') === true;
}

/** The metric's description on the reference page. */
export function aboutMetric(metric: ThresholdMetric): string {
  return ABOUT.get(metric) ?? '';
}
