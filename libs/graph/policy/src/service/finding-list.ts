/** Lists of findings: pages, filters and the form of replies. */
import { DomainError } from '#platform/foundation';
import { hasExpired } from '../evaluation/evaluate-rule.ts';
import { proofOf, type QueryText } from '../evaluation/proof-query.ts';
import type { Rule, Severity } from '../rule/rule.ts';
import type { LastRun } from './evaluation.ts';
import { type Assignment, type DecisionRequest, type Lapse, lapseOf } from './finding-decision.ts';
import {
  type FindingFilter,
  type FindingOrder,
  type FindingState,
  type FoundFinding,
  inOrder,
  passes,
} from './finding-filter.ts';

export interface FindingWaiver {
  readonly reason: string;
  /** Null for an exception of the rule that states none. */
  readonly by: string | null;
  /** Null for an exception of the rule without an end. */
  readonly until: string | null;
  /** When it was decided; null for an exception of the rule. */
  readonly at: string | null;
  /** `rule`: an exception in the definition of the rule. */
  readonly origin: 'rule' | 'decision';
}

/** An earlier decision, and why it is in force no more. */
export interface LapsedDecision extends DecisionRequest {
  readonly by: string;
  readonly at: string;
  readonly why: Lapse;
}

export interface ListedFinding {
  readonly finding_id: string;
  readonly rule_id: string;
  readonly name: string;
  readonly severity: Severity;
  /** Type and name of the entity, or the keys of the group. */
  readonly label: string;
  readonly class: string | null;
  readonly entity_id: string | null;
  readonly state: FindingState;
  /** Null within a scope, where it is not known. */
  readonly first_seen: string | null;
  readonly opened_at: string | null;
  readonly evaluated_at: string;
  /** Of the last run: after an error, or without data, the finding is that of an earlier run. */
  readonly rule_status: LastRun['status'];
  readonly waiver?: FindingWaiver;
  readonly lapsed?: LapsedDecision;
  readonly assignment?: Assignment;
  readonly proof: QueryText;
}

export interface FindingList {
  readonly count: number;
  /** Of the same filter, in every state. */
  readonly states: Readonly<Record<FindingState, number>>;
  /** Enabled rules that may have further findings. */
  readonly unknown_count: number;
  /** The classes and the assignees of all findings, for filters. */
  readonly classes: readonly string[];
  readonly assignees: readonly string[];
  readonly findings: readonly ListedFinding[];
}

/** The findings of all rules at one moment, as one caller sees them. */
export class FoundFindings {
  readonly #all: readonly FoundFinding[];
  /** Number of enabled rules that may have further ones. */
  readonly #unknownCount: number;

  constructor(all: readonly FoundFinding[], unknownCount: number) {
    this.#all = all;
    this.#unknownCount = unknownCount;
  }

  /** A page of those that pass the filter. */
  page(
    filter: FindingFilter,
    order: FindingOrder,
    page: { readonly offset: number; readonly limit: number },
  ): FindingList {
    const inEveryState = this.#all.filter((found) => passes(found, { ...filter, states: undefined }));
    const { states } = filter;
    const chosen = inEveryState.filter(({ state }) => states === undefined || states.includes(state));
    const count = (wanted: FindingState): number =>
      inEveryState.filter(({ state }) => state === wanted).length;
    return {
      count: chosen.length,
      states: { open: count('open'), waived: count('waived'), accepted: count('accepted') },
      unknown_count: this.#unknownCount,
      classes: distinct(this.#all.map(({ known }) => known.class)),
      assignees: distinct(this.#all.map(({ care }) => care.assignment?.assignee)),
      findings: inOrder(chosen, order)
        .slice(page.offset, page.offset + page.limit)
        .map(listedOf),
    };
  }

  /** All that pass the filter, in order. */
  chosen(filter: FindingFilter, order: FindingOrder): readonly FoundFinding[] {
    return inOrder(
      this.#all.filter((found) => passes(found, filter)),
      order,
    );
  }
}

/** Throws NOT_FOUND. */
export function refuseUnknown(findingId: string): never {
  throw new DomainError('NOT_FOUND', 'the last run of its rule has no such finding', {
    details: { id: findingId },
  });
}

/** A finding with what is decided about it at a time. */
export function foundOf(
  facts: Pick<FoundFinding, 'findingId' | 'rule' | 'run' | 'known' | 'care'>,
  nowMs: number,
): FoundFinding {
  const { rule, known, care } = facts;
  const { decision } = care;
  const lapse = decision && lapseOf(decision, rule, nowMs);
  const isExcepted = exceptionOf(facts, nowMs) !== undefined;
  const decided = decision === undefined || lapse !== undefined ? 'open' : decision.state;
  const state = isExcepted ? 'waived' : decided;
  // Until the rule runs again, only the decision knows when it ended.
  const endMs = lapse === 'expired' && known.waivedBy !== null ? Date.parse(decision?.until ?? '') : 0;
  const { openedMs: sinceMs } = known;
  const openedMs = state === 'open' && sinceMs !== undefined ? Math.max(sinceMs, endMs) : sinceMs;
  return { ...facts, state, lapse, openedMs };
}

/** The exception of the rule that waives the finding. */
function exceptionOf(
  { rule, known }: Pick<FoundFinding, 'rule' | 'known'>,
  nowMs: number,
): Rule['exceptions'][number] | undefined {
  const exception = known.waivedBy === null ? undefined : rule.exceptions[known.waivedBy];
  return exception !== undefined && !hasExpired(exception, nowMs) ? exception : undefined;
}

/** A finding in the form of replies. */
export function listedOf(found: FoundFinding): ListedFinding {
  const { findingId, rule, run, known, care, state, openedMs } = found;
  const waiver = waiverOf(found);
  const lapsed = lapsedOf(found);
  const { assignment } = care;
  return {
    finding_id: findingId,
    rule_id: rule.id,
    name: rule.name,
    severity: rule.severity,
    label: known.label,
    class: known.class,
    entity_id: known.entityId,
    state,
    first_seen: instantText(known.firstSeenMs),
    opened_at: instantText(openedMs),
    evaluated_at: run.evaluated_at,
    rule_status: run.status,
    ...(waiver && { waiver }),
    ...(lapsed && { lapsed }),
    ...(assignment && { assignment }),
    proof: proofOf(rule, { entity_id: known.entityId }),
  };
}

/** Why the finding does not count; undefined for an open one. */
export function waiverOf({ rule, known, care, state }: FoundFinding): FindingWaiver | undefined {
  if (state === 'open') return undefined;
  const exception = known.waivedBy === null ? undefined : rule.exceptions[known.waivedBy];
  if (exception !== undefined) {
    const { reason, approver: by = null, expires: until = null } = exception;
    return { reason, by, until, at: null, origin: 'rule' };
  }
  if (care.decision === undefined) return undefined;
  const { reason, by, until, at } = care.decision;
  return { reason, by, until, at, origin: 'decision' };
}

function lapsedOf({ care, lapse }: FoundFinding): LapsedDecision | undefined {
  if (care.decision === undefined || lapse === undefined) return undefined;
  const { state, reason, until, by, at } = care.decision;
  return { state, reason, until, by, at, why: lapse };
}

export function instantText(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

function distinct(values: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))].sort();
}
