/** Converts outcomes to replies and to stored results. */
import type { RuleOutcome, RuleStatus } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationTotals, LastRun, PastResult, RuleResult, SeenViolation } from './evaluation.ts';
import type { FindingChanges } from './finding-log.ts';

const NOTES_MAX = 100;
const MS_DIGITS = 1_000;
const NOT_RUN = { violation_count: 0, waived_count: 0, violations: [], error: null, duration_ms: 0 } as const;

/** A rule with its outcome; undefined if the rule is disabled. */
export interface EvaluatedRule {
  readonly rule: Rule;
  readonly outcome: RuleOutcome | undefined;
  /** Whether the outcome of the last run was reused, since none of its inputs has changed. */
  readonly isReused: boolean;
}

export function resultOf(
  { rule, outcome, isReused }: EvaluatedRule,
  seenBy: (outcome: RuleOutcome) => readonly SeenViolation[],
): RuleResult {
  const { id: rule_id, name, severity } = rule;
  if (outcome === undefined) return { rule_id, name, severity, status: 'Skipped', ...NOT_RUN };
  const { status, population, warnings, error } = outcome;
  return {
    rule_id,
    name,
    severity,
    status,
    violation_count: outcome.violationCount,
    waived_count: outcome.waivedCount,
    ...(outcome.decidedCount > 0 && { decided_count: outcome.decidedCount }),
    ...(population && { population }),
    violations: seenBy(outcome),
    ...(warnings.length > 0 && { warnings }),
    error,
    duration_ms: isReused ? 0 : roundedMs(outcome.durationMs),
  };
}

export function pastResult(result: RuleResult, changes: FindingChanges | undefined): PastResult {
  const { opened = [], resolved = [] } = changes ?? {};
  const { rule_id, name, severity, status, violation_count, waived_count, decided_count, population } =
    result;
  return {
    rule_id,
    name,
    severity,
    status,
    violation_count,
    waived_count,
    ...(decided_count !== undefined && { decided_count }),
    ...(population && { population }),
    error: result.error,
    duration_ms: result.duration_ms,
    new_count: opened.length,
    resolved_count: resolved.length,
    new: opened.slice(0, NOTES_MAX),
    resolved: resolved.slice(0, NOTES_MAX),
  };
}

export function lastRunOf(
  result: Pick<RuleResult, 'status' | 'violation_count' | 'waived_count' | 'decided_count'>,
  evaluationId: string,
  evaluatedAt: string,
): LastRun | undefined {
  const { status, violation_count, waived_count, decided_count } = result;
  if (status === 'Skipped') return undefined;
  return {
    evaluation_id: evaluationId,
    evaluated_at: evaluatedAt,
    status,
    violation_count,
    waived_count,
    ...(decided_count !== undefined && { decided_count }),
  };
}

export function totalsOf(results: readonly RuleResult[]): EvaluationTotals {
  const count = (wanted: RuleStatus): number => results.filter(({ status }) => status === wanted).length;
  return {
    total: results.length,
    pass: count('Pass'),
    fail: count('Fail'),
    error: count('Error'),
    no_data: count('NoData'),
    skipped: count('Skipped'),
    waived: results.reduce((sum, { waived_count: waived }) => sum + waived, 0),
  };
}

export function roundedMs(ms: number): number {
  return Math.round(ms * MS_DIGITS) / MS_DIGITS;
}
