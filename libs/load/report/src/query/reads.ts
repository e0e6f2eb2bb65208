import type { ReportRead } from '../data/report.ts';
import type { RunFiles } from './run-files.ts';

const US_PER_MS = 1_000;

interface ReadRow {
  readonly [name: string]: unknown;
  readonly name: string;
  readonly method: string;
  readonly planned: number;
  readonly answered: number;
  readonly failed: number;
  readonly not_sent: number;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly most: number | null;
}

interface ErrorRow {
  readonly [name: string]: unknown;
  readonly name: string;
  readonly class: string;
  readonly count: number;
}

const LATENCY = 'greatest(answered_us - intended_us, 0)';

/** The reads beside the load outside of excluded stages; latencies are those of answers without an error. */
export async function readReads(files: RunFiles, seconds: number): Promise<readonly ReportRead[]> {
  const errors = await files.rows<ErrorRow>(`SELECT name, error_class AS class, count(*)::DOUBLE AS count
    FROM reads WHERE NOT is_excluded AND outcome = 'failed' GROUP BY name, error_class ORDER BY count DESC, class`);
  const quantile = (share: number): string =>
    `quantile_cont(${LATENCY}, ${share}) FILTER (outcome = 'answered')`;
  const rows =
    await files.rows<ReadRow>(`SELECT name, any_value(method) AS method, count(*)::DOUBLE AS planned,
      count(*) FILTER (outcome = 'answered')::DOUBLE AS answered,
      count(*) FILTER (outcome = 'failed')::DOUBLE AS failed,
      count(*) FILTER (outcome = 'not_sent')::DOUBLE AS not_sent,
      ${quantile(0.5)} AS p50, ${quantile(0.95)} AS p95, ${quantile(0.99)} AS p99,
      max(${LATENCY}) FILTER (outcome = 'answered')::DOUBLE AS most
    FROM reads WHERE NOT is_excluded GROUP BY name ORDER BY name`);
  return rows.map(({ name, method, planned, answered, failed, not_sent, p50, p95, p99, most }) => ({
    name,
    method,
    planned,
    answered,
    failed,
    not_sent,
    rate: seconds === 0 ? 0 : answered / seconds,
    p50_ms: inMs(p50),
    p95_ms: inMs(p95),
    p99_ms: inMs(p99),
    max_ms: inMs(most),
    errors: errors
      .filter((error) => error.name === name)
      .map(({ class: failure, count }) => ({ class: failure, count })),
  }));
}

function inMs(us: number | null): number | null {
  return us === null ? null : Math.round(us) / US_PER_MS;
}
