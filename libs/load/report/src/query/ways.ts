import type { ReportWay, WaySpan } from '../data/report.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_MS = 1_000;

/** The spans are columns of their own, such as `send_ack_p50`. */
type WayRow = Omit<ReportWay, keyof typeof SPANS> & Readonly<Record<string, unknown>>;

const SPANS = {
  send_ack: 'acked_us - sent_us',
  send_feed: 'feed_us - sent_us',
  intended_feed: 'feed_us - intended_us',
} as const;
const QUANTILES = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
] as const;

/** From 0, the first of its block, to 1, the last; null in a block of one transaction. */
const PLACE = 'block_index::DOUBLE / nullif(block_size - 1, 0)';

/**
 * The transactions outside of excluded stages by way and type, with their latencies and places in blocks;
 * none for the runs of earlier versions.
 */
export async function readWays(files: RunFiles): Promise<readonly ReportWay[]> {
  const spans = Object.entries(SPANS).flatMap(([name, span]) =>
    QUANTILES.map(
      ([quantile, share]) =>
        `quantile_cont(greatest(${span}, 0), ${share}) FILTER (outcome = 'included') AS ${name}_${quantile}`,
    ),
  );
  const counts = (['included', 'rejected', 'unknown'] as const).map(
    (outcome) => `count(*) FILTER (outcome = '${outcome}')::DOUBLE AS ${outcome}`,
  );
  const rows = await files.rows<WayRow>(`SELECT way, type::DOUBLE AS type, count(*)::DOUBLE AS sent,
      ${[...counts, ...spans].join(', ')},
      count(*) FILTER (timeboosted)::DOUBLE AS timeboosted,
      count(*) FILTER (NOT timeboosted)::DOUBLE AS not_timeboosted,
      quantile_cont(${PLACE}, 0.5) AS place_p50, avg(${PLACE}) AS place_mean
    FROM transactions WHERE NOT is_excluded AND way IS NOT NULL GROUP BY way, type ORDER BY way, type`);
  return rows.map((row) => {
    const { way, type, sent, included, rejected, unknown, timeboosted, not_timeboosted } = row;
    return {
      way,
      type,
      sent,
      included,
      rejected,
      unknown,
      timeboosted,
      not_timeboosted,
      place_p50: row.place_p50,
      place_mean: row.place_mean,
      send_ack: spanOf(row, 'send_ack'),
      send_feed: spanOf(row, 'send_feed'),
      intended_feed: spanOf(row, 'intended_feed'),
    };
  });
}

function spanOf(row: WayRow, name: keyof typeof SPANS): WaySpan | null {
  const [p50, p95, p99] = QUANTILES.map(([quantile]) => row[`${name}_${quantile}`]);
  if (p50 === null || p50 === undefined) return null;
  return { p50: inMs(p50), p95: inMs(p95), p99: inMs(p99) };
}

function inMs(us: unknown): number {
  return Math.round(Number(us)) / US_PER_MS;
}
