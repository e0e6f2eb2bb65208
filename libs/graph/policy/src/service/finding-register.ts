/** The findings of all rules as of their last runs, with what is decided about each of them now. */
import type { Clock } from '#platform/foundation';
import { FINDINGS_MAX } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';
import type { DecisionRequest } from './finding-decision.ts';
import { type FindingDecisions, ruleIdOf } from './finding-decisions.ts';
import type { FoundFinding } from './finding-filter.ts';
import { FoundFindings, foundOf, type ListedFinding, listedOf, refuseUnknown } from './finding-list.ts';
import type { EvaluationHistory } from './evaluation-history.ts';
import type { FindingLog } from './finding-log.ts';
import type { RuleBook } from './rule-book.ts';
import type { FindingAnswers } from './rules-in-scope.ts';
import type { EntityFindings } from './rule-findings.ts';

interface RegisterParts {
  readonly rules: RuleBook;
  readonly history: EvaluationHistory;
  readonly log: FindingLog;
  readonly decisions: FindingDecisions;
  readonly clock: Clock;
}

export class FindingRegister implements FindingAnswers {
  readonly decisions: FindingDecisions;
  readonly #parts: RegisterParts;

  constructor(parts: RegisterParts) {
    this.decisions = parts.decisions;
    this.#parts = parts;
  }

  found(): FoundFindings {
    const { rules, history, log, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const all = rules.list().flatMap(({ rule }) => {
      const run = rule.enabled ? history.runOfDefinition(rule) : undefined;
      if (run === undefined) return [];
      const cares = this.decisions.of(rule.id);
      return Array.from(log.of(rule.id), ([findingId, known]) =>
        foundOf({ findingId, rule, run, known, care: cares.get(findingId) ?? {} }, nowMs),
      );
    });
    return new FoundFindings(all, this.#unknownCount());
  }

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

  ofEntity(findingIds: ReadonlyMap<string, string>): EntityFindings {
    const findings = this.#parts.rules.list().flatMap(({ rule }) => {
      const found = this.#foundOf(rule, findingIds.get(rule.id) ?? '');
      if (found === undefined || found.known.class === null) return [];
      const { finding_id, rule_id, name, severity, first_seen, evaluated_at, state } = listedOf(found);
      return { finding_id, rule_id, name, severity, first_seen, evaluated_at, is_waived: state !== 'open' };
    });
    return { count: findings.length, unknown_count: this.#unknownCount(), findings };
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

  #find(findingId: string): FoundFinding {
    const rule = this.#parts.rules.find(ruleIdOf(findingId))?.rule;
    const found = rule?.enabled === true ? this.#foundOf(rule, findingId) : undefined;
    return found ?? refuseUnknown(findingId);
  }

  #foundOf(rule: Rule, findingId: string): FoundFinding | undefined {
    const { history, log, clock } = this.#parts;
    const run = history.runOfDefinition(rule);
    const known = log.find(rule.id, findingId);
    if (run === undefined || known === undefined) return undefined;
    const care = this.decisions.find(findingId) ?? {};
    return foundOf({ findingId, rule, run, known, care }, clock.nowMs());
  }

  /** Number of enabled rules that may have further findings. */
  #unknownCount(): number {
    return this.#parts.rules.list().filter(({ rule }) => rule.enabled && this.#mayFindMore(rule)).length;
  }

  /** Without a last run, with an error in it, or with more findings than are kept. */
  #mayFindMore(rule: Rule): boolean {
    const run = this.#parts.history.lastRun(rule);
    if (run === undefined || run.status === 'Error') return true;
    const isCut = run.violation_count + run.waived_count > FINDINGS_MAX;
    return isCut && this.#parts.log.of(rule.id).size > 0;
  }
}
