import type { ParameterValue } from '#graph/query';
import type { Population, RuleStatus, RuleWarning, RuleViolation } from '../evaluation/outcome.ts';
import type { Rule, Severity } from '../rule/rule.ts';
import type { FindingNote } from './policy-ports.ts';

/** The rules to evaluate, and the options. Default: all rules. */
export interface EvaluationRequest {
  readonly ruleIds?: readonly string[] | undefined;
  readonly frameworks?: readonly string[] | undefined;
  /** This severity and higher ones. */
  readonly severityMin?: Severity | undefined;
  /** Overrides the rules' defaults: a what-if, which does not change findings and posture. */
  readonly params?: Readonly<Record<string, ParameterValue>> | undefined;
  /** Maximum number of violations shown per rule. Default 100. */
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
  /** Those of the waived ones that only a decision waives; absent if there are none. */
  readonly decided_count?: number;
  readonly population?: Population;
  readonly violations: readonly SeenViolation[];
  /** Absent if there are none. */
  readonly warnings?: readonly RuleWarning[];
  readonly error: string | null;
  readonly duration_ms: number;
}

export interface EvaluationTotals {
  /** Number of rules; the fields from `pass` to `skipped` divide it by status. */
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
  /** Why the evaluation is not in the history; absent if it is. */
  readonly not_stored?: string;
}

/** One entry of the history. */
export interface EvaluationSummary extends EvaluationFacts {
  readonly trigger: EvaluationTrigger;
  /** New and resolved findings since the previous run of each rule. */
  readonly new_count: number;
  readonly resolved_count: number;
}

/**
 * The cause of an evaluation; `first_start`: the service has loaded its initial data; `decision`: a finding
 * was waived, or is no more.
 */
export const EVALUATION_TRIGGERS = [
  'request',
  'schedule',
  'sync',
  'posture',
  'first_start',
  'decision',
] as const;
export type EvaluationTrigger = (typeof EVALUATION_TRIGGERS)[number];

/** One rule in the history: the changes instead of the violations. */
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

/** A rule with the result of its last evaluation with its own parameters, if any. */
export type RatedRule = Rule & { readonly last_run?: DatedRun };

/** A last run, and what is known of it by now. */
export interface DatedRun extends LastRun {
  /** Data, or what is decided about findings. */
  readonly data_changed: boolean;
  /** Whether the rule passes only because of decisions about its findings: posture counts it by itself. */
  readonly is_waived: boolean;
}

export interface LastRun {
  readonly evaluation_id: string;
  readonly evaluated_at: string;
  readonly status: Exclude<RuleStatus, 'Skipped'>;
  readonly violation_count: number;
  readonly waived_count: number;
  /** Absent if no violation is waived by a decision alone. */
  readonly decided_count?: number;
}
