import type { ReportEdge, ReportedFeed } from '../data/report.ts';
import type { RunEdge, RunTally } from '../data/run-record.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_MS = 1_000;

interface HealthRow {
  readonly [name: string]: unknown;
  readonly edge_id: string;
  readonly cpu_share: number | null;
  readonly loop_us: number | null;
}

/**
 * Each edge of the run with its own counters, which include transactions with dropped or lost rows, and with
 * its health from its rows.
 */
export async function readEdges(files: RunFiles, edges: readonly RunEdge[]): Promise<readonly ReportEdge[]> {
  const health = byEdge(
    await files.rows<HealthRow>(`SELECT edge_id, sum(cpu_ms)::DOUBLE / nullif(sum(interval_ms), 0) AS cpu_share, max(loop_delay_p99_us)::DOUBLE AS loop_us
      FROM intervals GROUP BY edge_id`),
  );
  return edges.map((edge) => {
    const own = health.get(edge.edge_id);
    const { planned, sent, not_sent, included, rejected, unknown, events_dropped } = edge.tally;
    return {
      edge_id: edge.edge_id,
      instance_id: edge.instance_id,
      version: edge.version,
      hostname: edge.hostname,
      end: edge.end,
      first_account: edge.first_account,
      account_count: edge.account_count,
      planned,
      sent,
      not_sent,
      included,
      rejected,
      unknown,
      clock_offset_ms: inMs(edge.clock_offset_us),
      clock_error_ms: inMs(edge.clock_error_us),
      events_dropped,
      feed: feedOf(edge.tally),
      cpu_share: own?.cpu_share ?? null,
      loop_delay_p99_ms: inMs(own?.loop_us ?? null),
    };
  });
}

function byEdge<R extends { readonly edge_id: string }>(rows: readonly R[]): ReadonlyMap<string, R> {
  return new Map(rows.map((row) => [row.edge_id, row]));
}

function inMs(us: number | null): number | null {
  return us === null ? null : us / US_PER_MS;
}

/** The feed counters of an edge, which are exact even if it dropped events. */
function feedOf(tally: RunTally): ReportedFeed {
  return {
    messages: tally.feed_messages,
    gaps: tally.feed_gaps ?? 0,
    duplicates: tally.feed_duplicates ?? 0,
    reorganisations: tally.feed_reorganisations ?? 0,
    disconnects: tally.feed_disconnects ?? 0,
    garbage: tally.feed_garbage ?? 0,
    correlation_misses: tally.correlation_misses,
  };
}

export function feedTotal(feeds: readonly ReportedFeed[]): ReportedFeed {
  const sum = (name: keyof ReportedFeed): number => feeds.reduce((total, feed) => total + feed[name], 0);
  return {
    messages: sum('messages'),
    gaps: sum('gaps'),
    duplicates: sum('duplicates'),
    reorganisations: sum('reorganisations'),
    disconnects: sum('disconnects'),
    garbage: sum('garbage'),
    correlation_misses: sum('correlation_misses'),
  };
}
