/** The findings of all rules as of their last runs, with what is decided about each of them now. */
import { type Clock, DomainError } from '#platform/foundation';
import { hasExpired } from '../evaluation/evaluate-rule.ts';
import { proofOf, type QueryText } from '../evaluation/proof-query.ts';
import type { Rule, Severity } from '../rule/rule.ts';
import type { LastRun } from './evaluation.ts';
import type { EvaluationHistory } from './evaluation-history.ts';
import type { FindingLog } from './finding-log.ts';
import type { RuleBook } from './rule-book.ts';
import type { EntityFinding } from './rule-findings.ts';
import type { FindingDecisions } from './finding-decisions.ts';
import { ruleIdOf } from './finding-decisions.ts';
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
  readonly first_seen: string;
  readonly opened_at: string;
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
  /** Enabled rules without a result, or with an error: they may have further findings. */
  readonly unknown_count: number;
  /** The classes and the assignees of all findings, for filters. */
  readonly classes: readonly string[];
  readonly assignees: readonly string[];
  readonly findings: readonly ListedFinding[];
}

interface RegisterParts {
  readonly rules: RuleBook;
  readonly history: EvaluationHistory;
  readonly log: FindingLog;
  readonly decisions: FindingDecisions;
  readonly clock: Clock;
}

export class FindingRegister {
  readonly decisions: FindingDecisions;
  readonly #parts: RegisterParts;

  constructor(parts: RegisterParts) {
    this.decisions = parts.decisions;
    this.#parts = parts;
  }

  /** A page of the findings that pass the filter. */
  list(
    filter: FindingFilter,
    order: FindingOrder,
    page: { readonly offset: number; readonly limit: number },
  ): FindingList {
    const all = this.#all();
    const inEveryState = all.filter((found) => passes(found, { ...filter, states: undefined }));
    const { states } = filter;
    const chosen = inEveryState.filter(({ state }) => states === undefined || states.includes(state));
    const count = (wanted: FindingState): number =>
      inEveryState.filter(({ state }) => state === wanted).length;
    return {
      count: chosen.length,
      states: { open: count('open'), waived: count('waived'), accepted: count('accepted') },
      unknown_count: this.unknownCount,
      classes: distinct(all.map(({ known }) => known.class)),
      assignees: distinct(all.map(({ care }) => care.assignment?.assignee)),
      findings: inOrder(chosen, order)
        .slice(page.offset, page.offset + page.limit)
        .map(listedOf),
    };
  }

  /** All findings that pass the filter, in order. */
  found(filter: FindingFilter, order: FindingOrder): readonly FoundFinding[] {
    return inOrder(
      this.#all().filter((found) => passes(found, filter)),
      order,
    );
  }

  /** Throws NOT_FOUND. */
  get(findingId: string): ListedFinding {
    return listedOf(this.#find(findingId));
  }

  /** Waives or accepts a finding. Throws NOT_FOUND, INVALID_REQUEST. */
  async decide(findingId: string, request: DecisionRequest, by: string): Promise<ListedFinding> {
    const { rule } = this.#find(findingId);
    await this.decisions.decide(rule, findingId, request, by);
    return this.get(findingId);
  }

  /** Ends what is decided about a finding. Throws NOT_FOUND. */
  async reopen(findingId: string): Promise<ListedFinding> {
    this.#find(findingId);
    await this.decisions.reopen(findingId);
    return this.get(findingId);
  }

  /** Null: to nobody. Throws NOT_FOUND, INVALID_REQUEST. */
  async assign(findingId: string, assignee: string | null, by: string): Promise<ListedFinding> {
    this.#find(findingId);
    await this.decisions.assign(findingId, assignee, by);
    return this.get(findingId);
  }

  /** The findings of an entity, of which each rule would have the given one. */
  ofEntity(findingIds: ReadonlyMap<string, string>): readonly EntityFinding[] {
    return this.#parts.rules.list().flatMap(({ rule }) => {
      const found = this.#foundOf(rule, findingIds.get(rule.id) ?? '');
      if (found === undefined || found.known.class === null) return [];
      const { finding_id, rule_id, name, severity, first_seen, evaluated_at, state } = listedOf(found);
      return { finding_id, rule_id, name, severity, first_seen, evaluated_at, is_waived: state !== 'open' };
    });
  }

  /** The enabled rules with a last run that waived other findings than would be waived now. */
  decidedAnew(): readonly string[] {
    const { rules, history } = this.#parts;
    const enabled = rules.list().filter(({ rule }) => rule.enabled);
    return enabled.filter(({ rule }) => history.isDecidedAnew(rule)).map(({ rule }) => rule.id);
  }

  /** When the next waiver of a finding ends, by decision or by exception; infinite if none does. */
  nextWaiverEndMs(): number {
    const nowMs = this.#parts.clock.nowMs();
    const ends = this.#parts.rules
      .list()
      .flatMap(({ rule }) => (rule.enabled ? rule.exceptions : []))
      .map(({ expires }) => (expires === undefined ? Infinity : Date.parse(expires)))
      .filter((endMs) => endMs > nowMs);
    return ends.reduce((first, endMs) => Math.min(first, endMs), this.decisions.nextEndMs(nowMs));
  }

  #all(): readonly FoundFinding[] {
    const nowMs = this.#parts.clock.nowMs();
    return this.#parts.rules.list().flatMap(({ rule }) => {
      const run = rule.enabled ? this.#parts.history.runOfDefinition(rule) : undefined;
      if (run === undefined) return [];
      const cares = this.decisions.of(rule.id);
      return Array.from(this.#parts.log.of(rule.id), ([findingId, known]) =>
        foundOf({ findingId, rule, run, known, care: cares.get(findingId) ?? {} }, nowMs),
      );
    });
  }

  #find(findingId: string): FoundFinding {
    const rule = this.#parts.rules.find(ruleIdOf(findingId))?.rule;
    const found = rule?.enabled === true ? this.#foundOf(rule, findingId) : undefined;
    if (found !== undefined) return found;
    throw new DomainError('NOT_FOUND', 'the last run of its rule has no such finding', {
      details: { id: findingId },
    });
  }

  #foundOf(rule: Rule, findingId: string): FoundFinding | undefined {
    const { history, log, clock } = this.#parts;
    const run = history.runOfDefinition(rule);
    const known = log.find(rule.id, findingId);
    if (run === undefined || known === undefined) return undefined;
    const care = this.decisions.find(findingId) ?? {};
    return foundOf({ findingId, rule, run, known, care }, clock.nowMs());
  }

  /** Number of enabled rules without a last run, or with an error in it. */
  get unknownCount(): number {
    const { rules, history } = this.#parts;
    const enabled = rules.list().filter(({ rule }) => rule.enabled);
    const statuses = enabled.map(({ rule }) => history.lastRun(rule)?.status);
    return statuses.filter((status) => status === undefined || status === 'Error').length;
  }
}

function foundOf(
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
  const openedMs = state === 'open' ? Math.max(known.openedMs, endMs) : known.openedMs;
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
    first_seen: new Date(known.firstSeenMs).toISOString(),
    opened_at: new Date(openedMs).toISOString(),
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

function distinct(values: readonly (string | null | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => typeof value === 'string'))].sort();
}
