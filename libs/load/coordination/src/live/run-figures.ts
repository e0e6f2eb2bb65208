import type { Histogram } from 'hdr-histogram-js';
import { type EdgeProgress, type Tally, ZERO_TALLY } from '#load/protocol';
import {
  type Bounds,
  type CountedMetric,
  HISTOGRAM_OF,
  latencyParts,
  type ThresholdMetric,
} from '#load/scenario';
import { bucketsOf, type LatencyBuckets } from '#load/worker';
import { mergeHistograms } from './latency-histogram.ts';

const US_PER_MS = 1_000;

/** A latency of a whole run, in ms. */
export interface LatencySummary {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p95: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** The inputs of the figures that the edges do not report. */
export interface FigureContext {
  /** Elapsed time of the stages that are not excluded. */
  readonly measuredSeconds: number;
  /** Contradictions between the feed and the chain, found by the oracle. */
  readonly feedContradictions: number;
}

/** The merged latest progress of all edges. Thresholds cover only measured stages. */
export class RunFigures {
  readonly tally: Tally;
  /** The tally of the stages that are not excluded. */
  readonly measured: Tally;
  readonly #progress: readonly EdgeProgress[];
  readonly #context: FigureContext;
  readonly #merged = new Map<string, Histogram | undefined>();

  constructor(progress: readonly EdgeProgress[], context: FigureContext) {
    this.#progress = progress;
    this.#context = context;
    this.tally = sumTallies(progress.map(({ tally }) => tally));
    this.measured = sumTallies(progress.map(({ measured }) => measured));
  }

  /** Null without measurements. */
  boundsOf(metric: ThresholdMetric): Bounds | null {
    const latency = latencyParts(metric);
    if (latency === undefined) return this.#counted(metric as CountedMetric);
    const histogram = this.#histogram(latency.histogram);
    return histogram === undefined ? null : exactly(percentileMs(histogram, latency.percentile));
  }

  /** Latencies with values, by metric name: `feed_latency`, `ack_latency`, … */
  latencies(): Readonly<Record<string, LatencySummary>> {
    const entries = Object.entries(HISTOGRAM_OF).flatMap(([name, of]) => {
      const histogram = this.#histogram(of);
      return histogram === undefined ? [] : [[name, summaryOf(histogram)] as const];
    });
    return Object.fromEntries(entries);
  }

  /** Prometheus buckets of latencies with values, by metric name; `bounds` are in seconds. */
  buckets(bounds: readonly number[]): ReadonlyMap<string, LatencyBuckets> {
    const entries = Object.entries(HISTOGRAM_OF).flatMap(([name, of]) => {
      const histogram = this.#histogram(of);
      return histogram === undefined ? [] : [[name, bucketsOf(histogram, bounds)] as const];
    });
    return new Map(entries);
  }

  #counted(metric: CountedMetric): Bounds | null {
    const { planned, sent, notSent, unknown, included, eventsDropped } = this.measured;
    const { ackedLost, ackedUndecided, failedUnexpected } = this.measured;
    const { measuredSeconds, feedContradictions } = this.#context;
    const ratio = (part: number, whole: number): Bounds | null =>
      whole === 0 ? null : exactly(part / whole);
    const read: Readonly<Record<CountedMetric, () => Bounds | null>> = {
      tx_failed_ratio: () =>
        sent === 0 ? null : { atLeast: this.#failedSurely() / sent, atMost: failedUnexpected / sent },
      // One that is undecided may be lost.
      tx_lost: () => ({ atLeast: ackedLost, atMost: ackedLost + ackedUndecided }),
      achieved_rate_ratio: () => ratio(sent, planned),
      feed_anomalies: () => exactly(feedAnomalies(this.measured) + feedContradictions),
      correlation_miss_ratio: () => ratio(this.measured.correlationMisses, sent),
      included_per_second: () => ratio(included, measuredSeconds),
      not_sent: () => exactly(notSent),
      unknown: () => exactly(unknown),
      events_dropped: () => exactly(eventsDropped),
    };
    return read[metric]();
  }

  /**
   * Without acknowledged transactions whose blocks could not be determined: they may be executed. Those of a
   * lost edge are among the undecided, and no failures. Without those that a starved edge gave up.
   */
  #failedSurely(): number {
    const { failedUnexpected, ackedUndecided, edgeStarved } = this.measured;
    const { rejectedUnexpected, reverted, ackedLost } = this.measured;
    const undecided = ackedUndecided + edgeStarved;
    return Math.max(failedUnexpected - undecided, rejectedUnexpected + reverted + ackedLost);
  }

  #histogram(name: string): Histogram | undefined {
    if (!this.#merged.has(name)) {
      const encoded = this.#progress.flatMap(({ histograms }) => histograms[name] ?? []);
      const merged = mergeHistograms(encoded);
      this.#merged.set(name, merged?.totalCount === 0 ? undefined : merged);
    }
    return this.#merged.get(name);
  }
}

function exactly(value: number): Bounds {
  return { atLeast: value, atMost: value };
}

/** Anomalies within the feed itself. */
function feedAnomalies({ feedGaps, feedDuplicates, feedReorganisations }: Tally): number {
  return feedGaps + feedDuplicates + feedReorganisations;
}

export function sumTallies(tallies: readonly Tally[]): Tally {
  const names = Object.keys(ZERO_TALLY) as (keyof Tally)[];
  const sums = names.map((name) => [name, tallies.reduce((sum, tally) => sum + tally[name], 0)] as const);
  return Object.fromEntries(sums) as Record<keyof Tally, number>;
}

function summaryOf(histogram: Histogram): LatencySummary {
  const at = (percentile: number): number => percentileMs(histogram, percentile);
  return {
    count: histogram.totalCount,
    p50: at(50),
    p90: at(90),
    p95: at(95),
    p99: at(99),
    p999: at(99.9),
    max: at(100),
  };
}

function percentileMs(histogram: Histogram, percentile: number): number {
  return histogram.getValueAtPercentile(percentile) / US_PER_MS;
}

/** Kinds of violations of the nonce check in which the feed and the chain differ. */
const CONTRADICTION = /^feed_/;

export function feedContradictions(kinds: Readonly<Record<string, number>>): number {
  return Object.entries(kinds).reduce(
    (sum, [kind, count]) => sum + (CONTRADICTION.test(kind) ? count : 0),
    0,
  );
}
