import { CHECKS, type Check } from '#load/oracle';
import type { ReportedRun } from './data/run-record.ts';
import { type RunVerdict, verdictOf } from './verdict/run-verdict.ts';
import type { CheckFacts, VerdictCounts, VerdictFacts } from './verdict/verdict-facts.ts';

/** The fields of a run's record that determine its verdict. */
export type JudgedRecord = Pick<
  ReportedRun,
  'status' | 'reason' | 'scenario' | 'oracle' | 'thresholds' | 'tally' | 'edges' | 'findings'
>;

const COUNTS = [
  'acked_lost',
  'expect_unmet',
  'rejected_unexpected',
  'reverted',
  'unknown',
  'included_after_error',
  'correlation_misses',
  'feed_gaps',
  'feed_duplicates',
  'feed_reorganisations',
  'feed_disconnects',
] as const satisfies readonly (keyof VerdictCounts)[];

/** Counts that earlier versions lack, without a loss for the verdict. */
const LATER_COUNTS = { acked_undecided: 0, edge_starved: 0, feed_garbage: 0 };

/** Null for a run that has not ended. */
export function verdictOfRun(record: JudgedRecord): RunVerdict | null {
  const facts = factsOf(record);
  return facts === null ? null : verdictOf(facts);
}

function factsOf(record: JudgedRecord): VerdictFacts | null {
  const { status, reason, oracle, thresholds, tally, edges, findings } = record;
  if (status !== 'Completed' && status !== 'Failed') return null;
  const checks = CHECKS.map((check) => [check, checkFacts(check, record.scenario, oracle[check])] as const);
  return {
    status,
    reason,
    thresholds,
    edges,
    findings,
    isBalanced: isBalanced(tally),
    checks: Object.fromEntries(checks) as Record<Check, CheckFacts>,
    counts: countsOf(tally),
  };
}

function checkFacts(check: Check, scenario: unknown, found: ReportedRun['oracle'][Check]): CheckFacts {
  if (isSwitchedOff(check, scenario)) return { state: 'off' };
  if (found === undefined) return { state: 'not_run' };
  const { verdict, coverage, violation_count: violations, gaps = [] } = found;
  return { state: verdict, violations, ...coverage, gaps };
}

/** Whether the scenario disables the check. */
function isSwitchedOff(check: Check, scenario: unknown): boolean {
  const oracle = (scenario as { readonly oracle?: Readonly<Record<string, unknown>> } | null)?.oracle;
  return oracle?.[check] === false;
}

/** planned = sent + not_sent; sent = included + rejected + unknown. */
export function isBalanced(tally: ReportedRun['tally']): boolean {
  const { planned, sent, not_sent: notSent, included, rejected, unknown } = tally;
  return planned === sent + notSent && sent === included + rejected + unknown;
}

/** Null unless all counts exist. */
function countsOf(tally: Partial<VerdictCounts>): VerdictCounts | null {
  const isWhole = COUNTS.every((name) => tally[name] !== undefined);
  return isWhole ? { ...LATER_COUNTS, ...(tally as VerdictCounts) } : null;
}
