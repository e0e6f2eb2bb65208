/**
 * Durations of requests. Hot path: one call for each request.
 *
 * 1. Every duration is a whole number of microseconds, and is counted in a fine bucket: sixteen for each
 *    power of two, so that a bucket is at most 1/16 as wide as its lower end, and its middle at most 3 % off.
 * 2. Quantiles are computed from the fine buckets of the current and the previous minute: lifetime quantiles
 *    would hide present problems. The first duration or query after a minute starts the next.
 * 3. The coarse buckets are those of the metric. They are never reset, and their bounds are exact.
 */
import type { DurationSnapshot } from '../../source/snapshot.ts';

const SUB_BUCKET_BITS = 4;
const SUB_BUCKETS = 1 << SUB_BUCKET_BITS;
const FINE_BUCKETS = (32 - SUB_BUCKET_BITS + 1) * SUB_BUCKETS;
const MICROS_MAX = 2 ** 32 - 1;
const MINUTE_MS = 60_000;
const SHARES = [0.5, 0.9, 0.99];
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000];

export class Durations {
  /** Count of each bucket, not cumulative; the last one counts all longer durations. */
  readonly #counts = new Float64Array(BOUNDS_MS.length + 1);
  #count = 0;
  #sumMs = 0;
  #current = new Uint32Array(FINE_BUCKETS);
  #previous = new Uint32Array(FINE_BUCKETS);
  #minute = 0;

  add(durationMs: number, nowMs: number): void {
    this.#turn(nowMs);
    let bound = 0;
    while (bound < BOUNDS_MS.length && durationMs > BOUNDS_MS[bound]!) bound += 1;
    this.#counts[bound] = this.#counts[bound]! + 1;
    this.#count += 1;
    this.#sumMs += durationMs;
    const fine = fineBucketOf(durationMs);
    this.#current[fine] = this.#current[fine]! + 1;
  }

  snapshot(nowMs: number): DurationSnapshot {
    this.#turn(nowMs);
    const recent = this.#recent();
    let below = 0;
    return {
      buckets: BOUNDS_MS.map((bound, index) => {
        below += this.#counts[index]!;
        return { leSeconds: bound / 1_000, count: below };
      }),
      count: this.#count,
      sumSeconds: this.#sumMs / 1_000,
      ...quantilesOf(recent),
      recent,
    };
  }

  #turn(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute === this.#minute) return;
    const stale = this.#previous;
    this.#previous = this.#current;
    this.#current = stale.fill(0);
    if (minute > this.#minute + 1) this.#previous.fill(0);
    this.#minute = minute;
  }

  /** Pairs of a fine bucket and its count in the last one to two minutes, ascending. */
  #recent(): number[] {
    const pairs: number[] = [];
    for (let fine = 0; fine < FINE_BUCKETS; fine++) {
      const count = this.#current[fine]! + this.#previous[fine]!;
      if (count > 0) pairs.push(fine, count);
    }
    return pairs;
  }
}

/** The sum of several: counts are added, and quantiles are computed from all recent buckets. */
export function mergeDurations(all: readonly DurationSnapshot[]): DurationSnapshot | undefined {
  const [first] = all;
  if (first === undefined) return undefined;
  const counts = new Map<number, number>();
  for (const { recent = [] } of all) {
    for (let at = 0; at < recent.length; at += 2) {
      counts.set(recent[at]!, (counts.get(recent[at]!) ?? 0) + recent[at + 1]!);
    }
  }
  const recent = Array.from(counts)
    .sort(([one], [other]) => one - other)
    .flat();
  return {
    buckets: first.buckets.map(({ leSeconds }, index) => {
      return { leSeconds, count: all.reduce((sum, { buckets }) => sum + (buckets[index]?.count ?? 0), 0) };
    }),
    count: all.reduce((sum, { count }) => sum + count, 0),
    sumSeconds: all.reduce((sum, { sumSeconds }) => sum + sumSeconds, 0),
    ...quantilesOf(recent),
    recent,
  };
}

/** `recent` as in a snapshot. */
function quantilesOf(recent: readonly number[]): Pick<DurationSnapshot, 'p50Ms' | 'p90Ms' | 'p99Ms'> {
  let total = 0;
  for (let at = 1; at < recent.length; at += 2) total += recent[at]!;
  const found: number[] = [];
  let below = 0;
  for (let at = 0; at < recent.length; at += 2) {
    below += recent[at + 1]!;
    while (found.length < SHARES.length && below >= SHARES[found.length]! * total) {
      found.push(middleMsOf(recent[at]!));
    }
  }
  const [p50Ms, p90Ms, p99Ms] = found;
  return { p50Ms, p90Ms, p99Ms };
}

/** Below 16 µs each microsecond has its own bucket; above, the four bits after the leading one select it. */
function fineBucketOf(durationMs: number): number {
  const micros = Math.min(MICROS_MAX, Math.max(0, Math.round(durationMs * 1_000)));
  if (micros < SUB_BUCKETS) return micros;
  const shift = 31 - SUB_BUCKET_BITS - Math.clz32(micros);
  return (shift + 1) * SUB_BUCKETS + ((micros >>> shift) & (SUB_BUCKETS - 1));
}

function middleMsOf(fine: number): number {
  if (fine < SUB_BUCKETS) return fine / 1_000;
  const shift = (fine >>> SUB_BUCKET_BITS) - 1;
  const low = (SUB_BUCKETS + (fine & (SUB_BUCKETS - 1))) * 2 ** shift;
  return (low + 2 ** shift / 2) / 1_000;
}
