import type {
  Population,
  RuleOutcome,
  RuleStatus,
  RuleWarning,
  RuleViolation,
} from '../evaluation/outcome.ts';
import { proofOf, type QueryText, ruleQueryText } from '../evaluation/proof-query.ts';
import type { Rule, Severity } from '../rule/rule.ts';

/** A violation with its proof. */
export interface Finding extends RuleViolation {
  /** Null if no stored evaluation contains it yet. */
  readonly first_seen: string | null;
  /** A query that returns exactly the elements matched by the rule. */
  readonly proof: QueryText;
}

/** The findings of a rule in the current graph, independent of its last evaluation. */
export interface RuleFindings {
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly status: RuleStatus;
  readonly looked_at: string;
  readonly snapshot_version: number;
  /** The rule's query. */
  readonly query: QueryText;
  /** The query of its population. */
  readonly population_query?: QueryText;
  readonly population?: Population;
  readonly violation_count: number;
  readonly waived_count: number;
  readonly findings: readonly Finding[];
  /** Absent if there are none. */
  readonly warnings?: readonly RuleWarning[];
  readonly error: string | null;
}

/** A finding for an entity in the last evaluation of a rule. */
export interface EntityFinding {
  readonly finding_id: string;
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  /** Null where it is not known. */
  readonly first_seen: string | null;
  /** Time of the rule's last evaluation, ISO 8601. */
  readonly evaluated_at: string;
}

export interface EntityFindings {
  readonly count: number;
  /** Number of enabled rules of which it is not known what they find. */
  readonly unknown_count: number;
  readonly findings: readonly EntityFinding[];
}

type Found = Omit<
  RuleFindings,
  'rule_id' | 'name' | 'severity' | 'looked_at' | 'snapshot_version' | 'query' | 'population_query'
>;

const NOT_RUN: Found = { status: 'Skipped', violation_count: 0, waived_count: 0, findings: [], error: null };

export interface FindingsLook {
  readonly nowMs: number;
  readonly snapshotVersion: number;
  readonly firstSeenMs: (findingId: string) => number | undefined;
}

/** A disabled rule has no outcome. */
export function findingsOf(rule: Rule, outcome: RuleOutcome | undefined, look: FindingsLook): RuleFindings {
  const { population: pql } = rule;
  return {
    rule_id: rule.id,
    name: rule.name,
    severity: rule.severity,
    looked_at: new Date(look.nowMs).toISOString(),
    snapshot_version: look.snapshotVersion,
    query: ruleQueryText(rule),
    ...(pql !== undefined && { population_query: ruleQueryText(rule, pql) }),
    ...(outcome === undefined ? NOT_RUN : foundBy(rule, outcome, look)),
  };
}

function foundBy(rule: Rule, outcome: RuleOutcome, look: FindingsLook): Found {
  const { status, population, violationCount, waivedCount, violations, warnings, error } = outcome;
  return {
    status,
    ...(population && { population }),
    violation_count: violationCount,
    waived_count: waivedCount,
    findings: violations.map((violation) => findingOf(rule, violation, look)),
    ...(warnings.length > 0 && { warnings }),
    error,
  };
}

function findingOf(rule: Rule, violation: RuleViolation, { firstSeenMs }: FindingsLook): Finding {
  const seenMs = firstSeenMs(violation.finding_id);
  const firstSeen = seenMs === undefined ? null : new Date(seenMs).toISOString();
  return { ...violation, first_seen: firstSeen, proof: proofOf(rule, violation) };
}
