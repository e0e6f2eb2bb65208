/** What an evaluation comes to: its reply, its entry in the history, and the changes of findings. */
import { randomBytes } from 'node:crypto';
import type { Rule } from '../rule/rule.ts';
import { type EvaluatedRule, pastResult, roundedMs, totalsOf } from './evaluation-record.ts';
import type {
  Evaluation,
  EvaluationRequest,
  EvaluationTrigger,
  PastEvaluation,
  RuleResult,
} from './evaluation.ts';
import type { FindingChanges } from './finding-log.ts';

export interface JudgedRun {
  readonly evaluation: Evaluation;
  readonly past: PastEvaluation;
  readonly changes: ReadonlyMap<string, FindingChanges>;
}

export interface RunOfRules {
  readonly rules: readonly Rule[];
  readonly evaluated: readonly EvaluatedRule[];
  readonly request: EvaluationRequest;
  readonly trigger: EvaluationTrigger;
  readonly nowMs: number;
  readonly snapshotVersion: number;
  readonly durationMs: number;
}

export function judgedRun(
  run: RunOfRules,
  results: readonly RuleResult[],
  changes: ReadonlyMap<string, FindingChanges>,
): JudgedRun {
  const { trigger, nowMs, snapshotVersion, durationMs } = run;
  const facts = {
    evaluation_id: evaluationId(nowMs),
    snapshot_version: snapshotVersion,
    started_at: new Date(nowMs).toISOString(),
    duration_ms: roundedMs(durationMs),
    ...totalsOf(results),
  };
  return {
    evaluation: { ...facts, results },
    past: { ...facts, trigger, ...pastOf(results, changes) },
    changes,
  };
}

function pastOf(
  results: readonly RuleResult[],
  changes: ReadonlyMap<string, FindingChanges>,
): Pick<PastEvaluation, 'results' | 'new_count' | 'resolved_count'> {
  const past = results.map((result) => pastResult(result, changes.get(result.rule_id)));
  return {
    new_count: past.reduce((sum, { new_count: count }) => sum + count, 0),
    resolved_count: past.reduce((sum, { resolved_count: count }) => sum + count, 0),
    results: past,
  };
}

/** Sorts by time; a random suffix makes ids of the same millisecond unique. */
export function evaluationId(nowMs: number): string {
  return `${new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '')}-${randomBytes(4).toString('hex')}`;
}
