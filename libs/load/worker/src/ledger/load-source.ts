import type { Tally } from '#load/protocol';
import type { LatencyBuckets } from './latency-buckets.ts';

/** Of the run that goes on, or of the last one. */
export interface LoadSource {
  tally(): Partial<Tally>;
  /** Transactions a second that are asked for now. */
  targetRate(): number;
  /** Of the stages that are measured, by the name of the latency: counts up to each bound in seconds. */
  latencies(bounds: readonly number[]): ReadonlyMap<string, LatencyBuckets>;
}
