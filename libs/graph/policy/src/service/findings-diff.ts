/** Which findings of rules opened, closed and changed between two moments. */
import type { RuleOutcome, Sightings } from '../evaluation/outcome.ts';
import type { Rule, Severity } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import { type Score, scoreOf } from './posture.ts';

const SHOWN_DEFAULT = 100;

/** The rules, and the most findings of each kind that are shown of a rule. */
export type PastRequest = Pick<EvaluationRequest, 'ruleIds' | 'frameworks' | 'severityMin' | 'limit'>;

interface RuleState {
  readonly status: RuleOutcome['status'];
  readonly violation_count: number;
  readonly waived_count: number;
  readonly error: string | null;
}

interface ComparedFinding {
  readonly finding_id: string;
  /** Type and key of the entity, or the group's keys. */
  readonly label: string;
  readonly class?: string;
}

interface ChangedFinding extends ComparedFinding {
  /** Whether it is waived now, and was not; or the reverse. */
  readonly waived: boolean;
}

export interface RuleDiff {
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly before: RuleState;
  readonly after: RuleState;
  readonly opened_count: number;
  readonly closed_count: number;
  readonly opened: readonly ComparedFinding[];
  readonly closed: readonly ComparedFinding[];
  readonly changed: readonly ChangedFinding[];
  /** Why opened or closed findings may be missing: they are unknown then, not none. */
  readonly unknown?: string;
}

export interface FindingsDiff {
  /** Sequence numbers: the states after these batches. */
  readonly from: number;
  readonly to: number;
  readonly opened: number;
  readonly closed: number;
  readonly score: { readonly before: Score; readonly after: Score };
  /** Those that differ, or whose difference is unknown. */
  readonly rules: readonly RuleDiff[];
}

export type Outcomes = ReadonlyMap<string, RuleOutcome>;

export function findingsDiff(
  rules: readonly Rule[],
  [before, after]: readonly [Outcomes, Outcomes],
  limit = SHOWN_DEFAULT,
): Omit<FindingsDiff, 'from' | 'to'> {
  const compared = rules.flatMap((rule) => {
    const [a, b] = [before.get(rule.id), after.get(rule.id)];
    return a === undefined || b === undefined ? [] : ruleDiff(rule, [a, b], limit);
  });
  return {
    opened: compared.reduce((sum, { opened_count: count }) => sum + count, 0),
    closed: compared.reduce((sum, { closed_count: count }) => sum + count, 0),
    score: { before: scoreAt(rules, before), after: scoreAt(rules, after) },
    rules: compared.filter(isDifferent),
  };
}

function ruleDiff(rule: Rule, [a, b]: readonly [RuleOutcome, RuleOutcome], limit: number): RuleDiff {
  const reason = unknownReason(a, b);
  const hidden = reason === undefined ? undefined : NOTHING;
  const opened = hidden ?? notIn(b.sightings, a.sightings);
  const closed = hidden ?? notIn(a.sightings, b.sightings);
  const partial = reason ?? (isWhole(a) && isWhole(b) ? undefined : 'more findings than can be compared');
  return {
    rule_id: rule.id,
    name: rule.name,
    severity: rule.severity,
    before: stateOf(a),
    after: stateOf(b),
    // Of an incomplete list it is not known what is missing in it.
    opened_count: isWhole(a) ? opened.length : 0,
    closed_count: isWhole(b) ? closed.length : 0,
    opened: isWhole(a) ? opened.slice(0, limit) : [],
    closed: isWhole(b) ? closed.slice(0, limit) : [],
    changed: changedFindings(a, b).slice(0, limit),
    ...(partial !== undefined && { unknown: partial }),
  };
}

const NOTHING: readonly ComparedFinding[] = [];

/** Whether its findings are all known: a rule without data has none. */
function isWhole({ isComplete, status }: RuleOutcome): boolean {
  return isComplete || status === 'NoData';
}

/** A rule that was not judged later has not lost its findings; one without data earlier had none. */
function unknownReason(a: RuleOutcome, b: RuleOutcome): string | undefined {
  if (a.status === 'Error') return `not evaluated at the first moment: ${a.error ?? 'unknown'}`;
  if (b.status === 'Error') return `not evaluated at the second moment: ${b.error ?? 'unknown'}`;
  return b.status === 'NoData' && a.sightings.findingIds.length > 0
    ? 'there was no data to judge at the second moment'
    : undefined;
}

function isDifferent({ before, after, opened_count, closed_count, changed, unknown }: RuleDiff): boolean {
  const isCounted = opened_count + closed_count + changed.length > 0;
  return isCounted || unknown !== undefined || before.status !== after.status;
}

function stateOf({ status, violationCount, waivedCount, error }: RuleOutcome): RuleState {
  return { status, violation_count: violationCount, waived_count: waivedCount, error };
}

function notIn(some: Sightings, others: Sightings): readonly ComparedFinding[] {
  const known = new Set(others.findingIds);
  return some.findingIds.flatMap((id, at) => {
    const name = some.classes[at] ?? null;
    const finding = { finding_id: id, label: some.labels[at] ?? id, ...(name !== null && { class: name }) };
    return known.has(id) ? [] : [finding];
  });
}

/** As far as violations are shown in full. */
function changedFindings(a: RuleOutcome, b: RuleOutcome): readonly ChangedFinding[] {
  const wasWaived = new Map(a.violations.map(({ finding_id: id, waived }) => [id, waived !== undefined]));
  return b.violations.flatMap(({ finding_id: id, waived, display_name: label, class: name }) => {
    const is = waived !== undefined;
    const was = wasWaived.get(id);
    if (was === undefined || was === is) return [];
    return [{ finding_id: id, label, ...(name !== null && { class: name }), waived: is }];
  });
}

function scoreAt(rules: readonly Rule[], outcomes: Outcomes): Score {
  return scoreOf(
    rules.map((rule) => {
      const outcome = outcomes.get(rule.id);
      return { rule, lastRun: outcome && stateOf(outcome) };
    }),
  );
}
