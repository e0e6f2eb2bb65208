import type { ThroughputPoint } from '../report.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_SECOND = 1_000_000;
const US_PER_MS = 1_000;

interface SecondRow {
  readonly [name: string]: unknown;
  readonly second: number;
  readonly planned: number;
  readonly sent: number;
  readonly included: number;
  readonly rejected: number;
  readonly p99_us: number | null;
}

/**
 * What was intended, sent, included and rejected in each second, all edges together, with the p99 latency of
 * what was intended then. A second counts what became true in it.
 */
export async function readThroughput(files: RunFiles): Promise<readonly ThroughputPoint[]> {
  const seconds = await files.rows<SecondRow>(`
    WITH moments AS (
      SELECT unnest([intended_us, sent_us, coalesce(feed_us, CASE WHEN outcome = 'included' THEN acked_us END),
          CASE WHEN outcome = 'rejected' THEN coalesce(acked_us, sent_us) END]) // ${US_PER_SECOND} AS second,
        unnest(['planned', 'sent', 'included', 'rejected']) AS what,
      FROM transactions),
    counted AS (
      SELECT second::DOUBLE AS second, what, count(*)::DOUBLE AS count FROM moments
      WHERE second IS NOT NULL GROUP BY ALL),
    late AS (
      SELECT (intended_us // ${US_PER_SECOND})::DOUBLE AS second,
        quantile_cont((feed_us - intended_us)::DOUBLE, 0.99) AS p99_us
      FROM transactions WHERE feed_us IS NOT NULL GROUP BY ALL)
    SELECT second, coalesce(sum(count) FILTER (what = 'planned'), 0) AS planned,
      coalesce(sum(count) FILTER (what = 'sent'), 0) AS sent,
      coalesce(sum(count) FILTER (what = 'included'), 0) AS included,
      coalesce(sum(count) FILTER (what = 'rejected'), 0) AS rejected, any_value(p99_us) AS p99_us
    FROM counted LEFT JOIN late USING (second) GROUP BY second ORDER BY second`);
  return seconds.map(({ second, planned, sent, included, rejected, p99_us }) => ({
    at: new Date(second * 1_000).toISOString(),
    planned,
    sent,
    included,
    rejected,
    intended_feed_p99: p99_us === null ? null : Math.round(p99_us) / US_PER_MS,
  }));
}
