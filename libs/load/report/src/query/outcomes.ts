import type { OutcomeCounts, ReportError, ReportKind } from '../data/report.ts';
import type { RunFiles } from './run-files.ts';

/** Counts of the five outcomes, as SQL columns that come as numbers. */
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

/** Failures by class, the most frequent first, those that the mix expected last. */
export async function readErrors(files: RunFiles): Promise<readonly ReportError[]> {
  return files.rows<ReportError & CountRow>(`SELECT class, expected, sum(count)::DOUBLE AS count,
      coalesce(arg_max(message, count), '') AS message, any_value(sample_hash) AS sample_hash
    FROM errors GROUP BY class, expected ORDER BY expected, count DESC, class`);
}
