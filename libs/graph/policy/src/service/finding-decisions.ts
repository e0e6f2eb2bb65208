import { hash } from 'node:crypto';
import { type Clock, DomainError, Turns } from '#platform/foundation';
import type { FindingWaivers } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';
import { DECISION_PREFIX, NAMESPACE, type PolicyDocument, type PolicyDocuments } from './policy-ports.ts';
import {
  ASSIGNEE_LENGTH_MAX,
  checkedDecision,
  checkedText,
  type DecisionRequest,
  type FindingCare,
  lapseOf,
  meaningOf,
  waiverOf,
} from './finding-decision.ts';

const WRITERS_MAX = 64;
/** Maximum number of findings with a decision or an assignment. */
const CARES_MAX = 50_000;
/** The mark of a rule without a decision in force. */
export const UNDECIDED = '';

/** The decisions and assignments of findings: a document for each finding, visible once it is durable. */
export class FindingDecisions {
  readonly #documents: PolicyDocuments;
  readonly #clock: Clock;
  readonly #turns = new Turns(WRITERS_MAX);
  readonly #listeners: (() => void)[] = [];
  /** By rule, then by finding. */
  #byRule: ReadonlyMap<string, ReadonlyMap<string, FindingCare>> = new Map();

  constructor(documents: PolicyDocuments, clock: Clock) {
    this.#documents = documents;
    this.#clock = clock;
  }

  async load(): Promise<void> {
    const byRule = new Map<string, Map<string, FindingCare>>();
    for await (const { id, value } of this.#documents.all(NAMESPACE, DECISION_PREFIX)) {
      const findingId = id.slice(DECISION_PREFIX.length);
      const ruleId = ruleIdOf(findingId);
      const known = byRule.get(ruleId) ?? new Map<string, FindingCare>();
      byRule.set(ruleId, known.set(findingId, value as FindingCare));
    }
    this.#byRule = byRule;
  }

  /** Calls `listener` after each change by this process. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  find(findingId: string): FindingCare | undefined {
    return this.of(ruleIdOf(findingId)).get(findingId);
  }

  /** The findings of a rule that somebody decided about or looks after. */
  of(ruleId: string): ReadonlyMap<string, FindingCare> {
    return this.#byRule.get(ruleId) ?? new Map<string, FindingCare>();
  }

  /** The waivers of a rule by decisions in force. */
  waiversOf(rule: Rule, nowMs: number): FindingWaivers {
    return Array.from(this.of(rule.id)).flatMap(([findingId, { decision }]) => {
      if (decision === undefined || lapseOf(decision, rule, nowMs) !== undefined) return [];
      return [[findingId, waiverOf(decision)] as const];
    });
  }

  /** Equal as long as the same findings of the rule are waived. */
  markOf(rule: Rule, nowMs: number): string {
    const ids = this.waiversOf(rule, nowMs).map(([findingId]) => findingId);
    return ids.length === 0 ? UNDECIDED : hash('sha256', JSON.stringify(ids.sort()));
  }

  /** When the next decision ends; infinite if none does. */
  nextEndMs(nowMs: number): number {
    let nextMs = Infinity;
    for (const cares of this.#byRule.values()) {
      for (const { decision } of cares.values()) {
        const endMs = decision === undefined ? Infinity : Date.parse(decision.until);
        if (endMs > nowMs) nextMs = Math.min(nextMs, endMs);
      }
    }
    return nextMs;
  }

  /** Throws INVALID_REQUEST. */
  decide(rule: Rule, findingId: string, request: DecisionRequest, by: string): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const checked = checkedDecision(request, nowMs);
    const decision = { ...checked, by, at: new Date(nowMs).toISOString(), meaning: meaningOf(rule) };
    return this.#change(findingId, ({ assignment }) => ({ decision, assignment }));
  }

  /** Ends the decision about a finding. Throws NOT_FOUND if there is none. */
  reopen(findingId: string): Promise<void> {
    return this.#change(findingId, ({ decision, assignment }) => {
      if (decision !== undefined) return { assignment };
      throw new DomainError('NOT_FOUND', 'nothing is decided about the finding', {
        details: { id: findingId },
      });
    });
  }

  /** Null: to nobody. Throws INVALID_REQUEST. */
  assign(findingId: string, assignee: string | null, by: string): Promise<void> {
    const at = new Date(this.#clock.nowMs()).toISOString();
    const name = assignee === null ? null : checkedText('assignee', assignee, ASSIGNEE_LENGTH_MAX);
    const assignment = name === null ? undefined : { assignee: name, by, at };
    return this.#change(findingId, ({ decision }) => ({ decision, assignment }));
  }

  /** What is forgotten with a rule, in the same batch. */
  documentsOf(ruleId: string): readonly PolicyDocument[] {
    return Array.from(this.of(ruleId).keys(), (id) => ({ id: DECISION_PREFIX + id, value: undefined }));
  }

  forget(ruleId: string): void {
    this.#byRule = new Map([...this.#byRule].filter(([id]) => id !== ruleId));
  }

  async #change(findingId: string, next: (care: FindingCare) => FindingCare): Promise<void> {
    await this.#turns.run(() =>
      this.#documents.exclusively(async () => {
        const before = this.find(findingId);
        const after = next(before ?? {});
        const isEmpty = after.decision === undefined && after.assignment === undefined;
        if (isEmpty && before === undefined) return;
        if (before === undefined) this.#assertRoom();
        const care = isEmpty ? undefined : after;
        await this.#documents.change(NAMESPACE, [{ id: DECISION_PREFIX + findingId, value: care }]);
        this.#keep(findingId, care);
      }),
    );
    for (const listener of this.#listeners) listener();
  }

  #assertRoom(): void {
    const count = this.#byRule.values().reduce((sum, cares) => sum + cares.size, 0);
    if (count < CARES_MAX) return;
    const message = `expected at most ${CARES_MAX} findings with a decision or an assignment`;
    throw new DomainError('INVALID_REQUEST', message);
  }

  #keep(findingId: string, care: FindingCare | undefined): void {
    const ruleId = ruleIdOf(findingId);
    const cares = new Map(this.of(ruleId));
    if (care === undefined) cares.delete(findingId);
    else cares.set(findingId, care);
    this.#byRule = new Map(this.#byRule).set(ruleId, cares);
  }
}

/** The ids of rules have no colon. */
export function ruleIdOf(findingId: string): string {
  const end = findingId.lastIndexOf(':');
  return end === -1 ? findingId : findingId.slice(0, end);
}
