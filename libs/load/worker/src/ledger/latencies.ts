import { bucketsOf, type LatencyBuckets } from './latency-buckets.ts';
import { build, encodeIntoCompressedBase64, type Histogram } from 'hdr-histogram-js';

/** The time between two moments of a transaction, in microseconds. */
export const LATENCIES = [
  'send_delay',
  'send_ack',
  'send_feed',
  'intended_feed',
  'send_block',
  'intended_block',
] as const;
export type Latency = (typeof LATENCIES)[number];

const DAY_US = 86_400e6;
const DIGITS = 3;

/** HDR histograms: for each stage of the current interval, and for the whole measured part. */
export class Latencies {
  readonly #stages: readonly HistogramSet[];
  readonly #isExcluded: readonly boolean[];
  readonly #total = new HistogramSet();

  constructor(isExcluded: readonly boolean[]) {
    this.#isExcluded = isExcluded;
    this.#stages = isExcluded.map(() => new HistogramSet());
  }

  record(stage: number, latency: Latency, us: number): void {
    this.#stages[stage]?.record(latency, us);
  }

  /** The histogram of a stage since the previous call; null without values. */
  takeInterval(stage: number): Readonly<Record<Latency, Uint8Array | null>> {
    const set = this.#stages[stage] ?? new HistogramSet();
    const encoded = set.encode();
    if (this.#isExcluded[stage] !== true) this.#total.add(set);
    set.reset();
    return encoded;
  }

  /** The histograms of all measured stages, up to the last taken intervals. */
  total(): Readonly<Record<Latency, Uint8Array | null>> {
    return this.#total.encode();
  }

  /** The non-empty histograms of `total` for Prometheus, with cumulative counts by bound in seconds. */
  buckets(bounds: readonly number[]): ReadonlyMap<Latency, LatencyBuckets> {
    return this.#total.buckets(bounds);
  }
}

class HistogramSet {
  readonly #histograms = new Map<Latency, Histogram>();

  record(latency: Latency, us: number): void {
    this.#of(latency).recordValue(Math.min(Math.max(0, us), DAY_US));
  }

  add(other: HistogramSet): void {
    for (const [latency, histogram] of other.#histograms) {
      if (histogram.totalCount > 0) this.#of(latency).add(histogram);
    }
  }

  reset(): void {
    for (const histogram of this.#histograms.values()) histogram.reset();
  }

  encode(): Readonly<Record<Latency, Uint8Array | null>> {
    const encoded = LATENCIES.map((latency) => [latency, encodedOf(this.#histograms.get(latency))]);
    return Object.fromEntries(encoded) as Record<Latency, Uint8Array | null>;
  }

  buckets(bounds: readonly number[]): ReadonlyMap<Latency, LatencyBuckets> {
    const filled = [...this.#histograms].filter(([, { totalCount }]) => totalCount > 0);
    return new Map(filled.map(([latency, histogram]) => [latency, bucketsOf(histogram, bounds)]));
  }

  #of(latency: Latency): Histogram {
    const known = this.#histograms.get(latency);
    if (known !== undefined) return known;
    const created = build({ bitBucketSize: 32, autoResize: true, numberOfSignificantValueDigits: DIGITS });
    this.#histograms.set(latency, created);
    return created;
  }
}

/** The compressed V2 encoding, readable by all HDR libraries. */
function encodedOf(histogram: Histogram | undefined): Uint8Array | null {
  if (histogram === undefined || histogram.totalCount === 0) return null;
  return Buffer.from(encodeIntoCompressedBase64(histogram), 'base64');
}
