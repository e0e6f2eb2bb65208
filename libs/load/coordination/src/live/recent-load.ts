/**
 * The load of the last minute, sampled at each request: rates and latencies between two samples, not since
 * the start. Edges report progress once a second, so a rate covers a few seconds. The window is empty at the
 * first request, and fills with later ones.
 */
import type { Tally } from '#load/protocol';
import type { LatencyBuckets } from '#load/worker';
import type { RunFigures } from './run-figures.ts';

const US_PER_S = 1_000_000;
const MS_PER_S = 1_000;
const MINUTE_US = 60 * US_PER_S;
/** Minimum time between two samples, for all clients together. */
const PAUSE_US = 900_000;
/** A shorter window shows the reports of the edges, not the rate. */
const WINDOW_US = 4 * US_PER_S;
/** Bucket bounds from 1 ms to over a minute, 9 % apart. */
const BOUNDS_S = Array.from({ length: 136 }, (_, i) => 0.001 * 2 ** (i / 8));
/** Candidates for the latency of the points; the first measured one is used. */
const LATENCIES = ['feed_latency', 'block_latency', 'ack_latency'];

type Count = 'planned' | 'sent' | 'included' | 'rejected' | 'notSent';

/** A sample of a run. */
export interface LoadLook {
  readonly runId: string;
  readonly atUs: number;
  readonly elapsedS: number;
  readonly figures: RunFigures;
  readonly edges: readonly { readonly edgeId: string; readonly tally: Tally }[];
  /** Counts by class since the start of each edge. */
  readonly failures: ReadonlyMap<string, number>;
}

interface Look extends Omit<LoadLook, 'figures'> {
  readonly tally: Tally;
  readonly buckets: ReadonlyMap<string, LatencyBuckets>;
}

/** Transactions per second. */
export interface LoadRates {
  readonly planned_rate: number;
  readonly sent_rate: number;
  readonly included_rate: number;
  readonly rejected_rate: number;
  readonly not_sent_rate: number;
}

/** Percentiles in ms, at most 9 % too high. */
export interface RecentLatency {
  readonly count: number;
  readonly p50_ms: number;
  readonly p90_ms: number;
  readonly p99_ms: number;
}

export interface RecentLoadView {
  readonly run_id: string;
  /** The name of the points' latency; null before the first measurement. */
  readonly latency: string | null;
  readonly points: readonly (LoadRates & {
    readonly elapsed_s: number;
    readonly p50_ms: number | null;
    readonly p99_ms: number | null;
  })[];
  readonly edges: readonly (LoadRates & { readonly edge_id: string; readonly in_flight: number })[];
  /** Latencies measured within the minute, by name. */
  readonly latencies: Readonly<Record<string, RecentLatency>>;
  /** Failures within the minute, most frequent first. */
  readonly failures: readonly { readonly class: string; readonly count: number }[];
}

export class RecentLoad {
  #looks: readonly Look[] = [];

  /** Calls `look` only if the last sample is old enough. */
  note(runId: string, atUs: number, look: () => Omit<LoadLook, 'runId' | 'atUs'>): void {
    const kept = this.#looks.filter((one) => atUs - one.atUs <= MINUTE_US);
    const last = kept.findLast((one) => one.runId === runId);
    if (last !== undefined && atUs - last.atUs < PAUSE_US) return;
    const { figures, ...rest } = look();
    const { tally } = figures;
    this.#looks = [...kept, { runId, atUs, tally, buckets: figures.buckets(BOUNDS_S), ...rest }];
  }

  /** Empty for a run without samples. */
  of(runId: string): RecentLoadView {
    const looks = this.#looks.filter((look) => look.runId === runId);
    const [first] = looks;
    const last = looks.at(-1);
    if (first === undefined || last === undefined)
      return { run_id: runId, latency: null, points: [], edges: [], latencies: {}, failures: [] };
    const latency = LATENCIES.find((name) => last.buckets.has(name)) ?? null;
    const before = windowStart(looks, looks.length - 1);
    return {
      run_id: runId,
      latency,
      points: looks.slice(1).map((look, index) => pointOf(windowStart(looks, index + 1), look, latency)),
      edges: last.edges.map(({ edgeId, tally }) => {
        const earlier = before.edges.find((edge) => edge.edgeId === edgeId)?.tally;
        return {
          edge_id: edgeId,
          ...ratesOf(earlier ?? tally, tally, last.atUs - before.atUs),
          in_flight: tally.inFlight,
        };
      }),
      latencies: latenciesOf(first, last),
      failures: failuresOf(first, last),
    };
  }
}

/** The latest sample that is old enough, else the first. */
function windowStart(looks: readonly Look[], index: number): Look {
  const end = looks[index]?.atUs ?? 0;
  const start = looks.slice(0, index).findLast(({ atUs }) => end - atUs >= WINDOW_US) ?? looks[0];
  if (start === undefined) throw new RangeError('expected a look');
  return start;
}

function pointOf(before: Look, look: Look, latency: string | null): RecentLoadView['points'][number] {
  const recent =
    latency === null ? undefined : between(before.buckets.get(latency), look.buckets.get(latency));
  return {
    elapsed_s: look.elapsedS,
    ...ratesOf(before.tally, look.tally, look.atUs - before.atUs),
    p50_ms: recent?.p50_ms ?? null,
    p99_ms: recent?.p99_ms ?? null,
  };
}

/** A restarted edge counts from zero again, which must not give a negative rate. */
function ratesOf(before: Tally, after: Tally, us: number): LoadRates {
  const rateOf = (name: Count): number =>
    us === 0 ? 0 : Math.max(0, after[name] - before[name]) / (us / US_PER_S);
  return {
    planned_rate: rateOf('planned'),
    sent_rate: rateOf('sent'),
    included_rate: rateOf('included'),
    rejected_rate: rateOf('rejected'),
    not_sent_rate: rateOf('notSent'),
  };
}

function latenciesOf(first: Look, last: Look): RecentLoadView['latencies'] {
  const entries = Array.from(last.buckets, ([name, after]) => {
    const recent = between(first.buckets.get(name), after);
    return recent === undefined ? [] : [[name, recent] as const];
  });
  return Object.fromEntries(entries.flat());
}

/** Percentiles of the values between two samples; undefined without values. */
function between(
  before: LatencyBuckets | undefined,
  after: LatencyBuckets | undefined,
): RecentLatency | undefined {
  if (after === undefined || after.count <= (before?.count ?? 0)) return undefined;
  const upTo = after.upTo.map((count, i) => Math.max(0, count - (before?.upTo[i] ?? 0)));
  const count = after.count - (before?.count ?? 0);
  const at = (share: number): number => {
    const index = upTo.findIndex((below) => below >= share * count);
    return (BOUNDS_S.at(index) ?? 0) * MS_PER_S;
  };
  return { count, p50_ms: at(0.5), p90_ms: at(0.9), p99_ms: at(0.99) };
}

function failuresOf(first: Look, last: Look): RecentLoadView['failures'] {
  return Array.from(last.failures, ([name, count]) => ({
    class: name,
    count: count - (first.failures.get(name) ?? 0),
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
