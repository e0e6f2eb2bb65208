import type { LatencyFigures, LatencyName } from '../data/report.ts';
import type { RunFiles } from './run-files.ts';

/** SQL of each latency, for included transactions outside of excluded stages; microseconds. */
const SPANS: Readonly<Record<LatencyName, string>> = {
  send_ack: 'acked_us - sent_us',
  send_feed: 'feed_us - sent_us',
  intended_feed: 'feed_us - intended_us',
  send_block: 'block_us - sent_us',
  intended_block: 'block_us - intended_us',
  send_delay: 'sent_us - intended_us',
};

const US_PER_MS = 1_000;
/** Bounds of the histogram: eight per power of ten, from 0.1 ms to 100 s, rounded to the displayed digits. */
const BOUNDS_MS = Array.from({ length: 49 }, (_, step) => Number((0.1 * 10 ** (step / 8)).toPrecision(3)));
const BOUNDS_US = BOUNDS_MS.map((bound) => Math.round(bound * US_PER_MS));

interface FigureRow {
  readonly [name: string]: unknown;
  readonly count: number;
  readonly mean: number | null;
  readonly quantiles: unknown;
  readonly bars: unknown;
  readonly max: number | null;
}

/** Exact percentiles of each latency; null without measurements. */
export async function readLatencies(files: RunFiles): Promise<Record<LatencyName, LatencyFigures | null>> {
  return {
    send_ack: await readLatency(files, SPANS.send_ack),
    send_feed: await readLatency(files, SPANS.send_feed),
    intended_feed: await readLatency(files, SPANS.intended_feed),
    send_block: await readLatency(files, SPANS.send_block),
    intended_block: await readLatency(files, SPANS.intended_block),
    send_delay: await readLatency(files, SPANS.send_delay),
  };
}

async function readLatency(files: RunFiles, span: string): Promise<LatencyFigures | null> {
  const row =
    await files.row<FigureRow>(`SELECT count(*)::DOUBLE AS count, avg(us) AS mean, max(us)::DOUBLE AS max,
      quantile_cont(us, [0.5, 0.9, 0.95, 0.99, 0.999]) AS quantiles,
      map_values(histogram(us, [${BOUNDS_US.join(', ')}]::BIGINT[]))::DOUBLE[] AS bars
    FROM (SELECT greatest(${span}, 0) AS us FROM transactions WHERE NOT is_excluded AND ${span} IS NOT NULL)`);
  if (row.count === 0) return null;
  const quantiles = itemsOf(row.quantiles).map(inMs);
  const [p50 = 0, p90 = 0, p95 = 0, p99 = 0, p999 = 0] = quantiles;
  const figures = { count: row.count, mean: inMs(row.mean), max: inMs(row.max) };
  return { ...figures, p50, p90, p95, p99, p999, histogram: histogramOf(itemsOf(row.bars)) };
}

/** DuckDB returns a list as an object with `items`, or as an array. */
function itemsOf(list: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list;
  return (list as { readonly items?: readonly unknown[] } | null)?.items ?? [];
}

/** The non-empty bars, from the counts up to each bound and above the last one. */
function histogramOf(counts: readonly unknown[]): LatencyFigures['histogram'] {
  return counts
    .map((count, step) => ({ le: BOUNDS_MS[step] ?? Number.MAX_SAFE_INTEGER, count: Number(count) }))
    .filter(({ count }) => count > 0);
}

function inMs(us: unknown): number {
  return Math.round(Number(us)) / US_PER_MS;
}
