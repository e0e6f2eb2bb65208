import type { RunEdge } from '../data/run-record.ts';
import type { OutcomeCounts, ReportEdge } from '../report.ts';
import { OUTCOME_COLUMNS } from './outcomes.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_MS = 1_000;

type EdgeRow = OutcomeCounts & { readonly [name: string]: unknown; readonly edge_id: string };

interface HealthRow {
  readonly [name: string]: unknown;
  readonly edge_id: string;
  readonly dropped: number;
  readonly cpu_share: number | null;
  readonly loop_us: number | null;
}

interface GapRow {
  readonly [name: string]: unknown;
  readonly edge_id: string;
  readonly gaps: number;
}

const NO_OUTCOMES = { planned: 0, sent: 0, not_sent: 0, included: 0, rejected: 0, unknown: 0 };

/** Each edge of the run with what its rows say: an edge that said nothing has zeros. */
export async function readEdges(files: RunFiles, edges: readonly RunEdge[]): Promise<readonly ReportEdge[]> {
  const outcomes = byEdge(
    await files.rows<EdgeRow>(`SELECT edge_id, ${OUTCOME_COLUMNS} FROM transactions GROUP BY edge_id`),
  );
  const health = byEdge(
    await files.rows<HealthRow>(`SELECT edge_id, sum(events_dropped)::DOUBLE AS dropped,
        sum(cpu_ms)::DOUBLE / nullif(sum(interval_ms), 0) AS cpu_share, max(loop_delay_p99_us)::DOUBLE AS loop_us
      FROM intervals GROUP BY edge_id`),
  );
  const gaps = byEdge(
    await files.rows<GapRow>(`SELECT edge_id, count(*)::DOUBLE AS gaps FROM feed
      WHERE tx_index = -1 AND (flags & 8) <> 0 GROUP BY edge_id`),
  );
  return edges.map((edge) => {
    const own = health.get(edge.edge_id);
    return {
      edge_id: edge.edge_id,
      instance_id: edge.instance_id,
      version: edge.version,
      hostname: edge.hostname,
      end: edge.end,
      first_account: edge.first_account,
      account_count: edge.account_count,
      ...(outcomes.get(edge.edge_id) ?? NO_OUTCOMES),
      clock_offset_ms: inMs(edge.clock_offset_us),
      clock_error_ms: inMs(edge.clock_error_us),
      events_dropped: own?.dropped ?? 0,
      feed_gaps: gaps.get(edge.edge_id)?.gaps ?? 0,
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
