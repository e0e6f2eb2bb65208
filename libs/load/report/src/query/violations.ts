import type { JsonRpcCall } from '#load/oracle';
import type { OutcomeCounts, ReportError, ReportKind, ReportViolation } from '../data/report.ts';
import type { RunFiles } from './run-files.ts';

/** Number of violations shown per check; the files contain all. */
const SHOWN_MAX = 100;

type ViolationRow = Omit<ReportViolation, 'receipt' | 'calls'> &
  Readonly<Record<string, unknown>> & { readonly receipt_json: string | null; readonly calls_json: string };

/** The first violations of each check, with their evidence. */
export async function readViolations(files: RunFiles): Promise<readonly ReportViolation[]> {
  const rows = await files.rows<ViolationRow>(`
    SELECT "check", kind, edge_id, account, hash, nonce::DOUBLE AS nonce, block_number::DOUBLE AS block_number,
      expected, observed, receipt_json, calls_json, note
    FROM violations
    QUALIFY row_number() OVER (PARTITION BY "check" ORDER BY at_us) <= ${SHOWN_MAX} ORDER BY "check", at_us`);
  return rows.map(({ receipt_json, calls_json, ...row }) => ({
    ...row,
    receipt: receipt_json === null ? null : (JSON.parse(receipt_json) as unknown),
    calls: JSON.parse(calls_json) as readonly JsonRpcCall[],
  }));
}

/** Counts of the five outcomes, as SQL columns returned as numbers. */
const OUTCOME_COLUMNS = `count(*)::DOUBLE AS planned,
  (count(*) FILTER (outcome <> 'not_sent'))::DOUBLE AS sent,
  (count(*) FILTER (outcome = 'not_sent'))::DOUBLE AS not_sent,
  (count(*) FILTER (outcome = 'included'))::DOUBLE AS included,
  (count(*) FILTER (outcome = 'rejected'))::DOUBLE AS rejected,
  (count(*) FILTER (outcome = 'unknown'))::DOUBLE AS unknown`;

type CountRow = OutcomeCounts & Readonly<Record<string, unknown>>;

export async function readKinds(files: RunFiles): Promise<readonly ReportKind[]> {
  return files.rows<ReportKind & CountRow>(
    `SELECT kind, ${OUTCOME_COLUMNS} FROM transactions GROUP BY kind ORDER BY planned DESC, kind`,
  );
}

/** Failures by class, the most frequent first, those expected by the mix last. */
export async function readErrors(files: RunFiles): Promise<readonly ReportError[]> {
  return files.rows<ReportError & CountRow>(`SELECT class, expected, sum(count)::DOUBLE AS count,
      coalesce(arg_max(message, count), '') AS message, any_value(sample_hash) AS sample_hash
    FROM errors GROUP BY class, expected ORDER BY expected, count DESC, class`);
}
