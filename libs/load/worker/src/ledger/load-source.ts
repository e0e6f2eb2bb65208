import type { Tally } from '#load/protocol';
import type { LatencyBuckets } from './latency-buckets.ts';

/** The load of the current or the last run. */
export interface LoadSource {
  tally(): Partial<Tally>;
  /** The current planned rate in transactions per second. */
  targetRate(): number;
  /** Latencies of the measured stages by name: cumulative counts by bound in seconds. */
  latencies(bounds: readonly number[]): ReadonlyMap<string, LatencyBuckets>;
}
