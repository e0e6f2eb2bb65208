import type { ParameterValue } from '#graph/query';
import type { Population, RuleStatus, RuleWarning, RuleViolation } from '../evaluation/outcome.ts';
import type { Rule, Severity } from '../rule/rule.ts';
import type { FindingNote } from './policy-ports.ts';

/** Which rules to evaluate, and how. All of them, if nothing is said. */
export interface EvaluationRequest {
  readonly ruleIds?: readonly string[] | undefined;
  readonly frameworks?: readonly string[] | undefined;
  /** This severity and worse ones. */
  readonly severityMin?: Severity | undefined;
  /** Instead of the rules' defaults: a what-if, which leaves findings and posture alone. */
  readonly params?: Readonly<Record<string, ParameterValue>> | undefined;
  /** So many violations of each rule are shown. Default 100. */
  readonly limit?: number | undefined;
}

export interface SeenViolation extends RuleViolation {
  readonly first_seen: string;
}

export interface RuleResult {
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: RuleStatus;
  readonly violation_count: number;
  readonly waived_count: number;
  readonly population?: Population;
  readonly violations: readonly SeenViolation[];
  /** Left out when there are none. */
  readonly warnings?: readonly RuleWarning[];
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface EvaluationTotals {
  /** Rules by status. */
  readonly total: number;
  readonly pass: number;
  readonly fail: number;
  readonly error: number;
  readonly no_data: number;
  readonly skipped: number;
  /** Waived violations, over all rules. */
  readonly waived: number;
}

interface EvaluationFacts extends EvaluationTotals {
  readonly evaluation_id: string;
  readonly snapshot_version: number;
  readonly started_at: string;
  readonly duration_ms: number;
}

export interface Evaluation extends EvaluationFacts {
  readonly results: readonly RuleResult[];
}

/** One line of the history. */
export interface EvaluationSummary extends EvaluationFacts {
  readonly trigger: EvaluationTrigger;
  /** Findings that are new, and that are gone, since each rule's run before. */
  readonly new_count: number;
  readonly resolved_count: number;
}

/** Why rules were evaluated; `first_start`: the service has loaded the data that it began with. */
export const EVALUATION_TRIGGERS = ['request', 'schedule', 'sync', 'posture', 'first_start'] as const;
export type EvaluationTrigger = (typeof EVALUATION_TRIGGERS)[number];

/** One rule in the history: no violations, but what changed. */
export interface PastResult extends Omit<RuleResult, 'violations' | 'warnings'> {
  readonly new_count: number;
  readonly resolved_count: number;
  /** The first 100 of each. */
  readonly new: readonly FindingNote[];
  readonly resolved: readonly FindingNote[];
}

export interface PastEvaluation extends EvaluationSummary {
  readonly results: readonly PastResult[];
}

/** What came of a rule when it was last evaluated with its own parameters. */
/** A rule with what its last evaluation came to, if there was one. */
export type RatedRule = Rule & { readonly last_run?: LastRun };

export interface LastRun {
  readonly evaluation_id: string;
  readonly evaluated_at: string;
  readonly status: Exclude<RuleStatus, 'Skipped'>;
  readonly violation_count: number;
  readonly waived_count: number;
}
