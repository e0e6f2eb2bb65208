/** What a person has decided about a finding, and who is to look after it. */
import { hash } from 'node:crypto';
import { DomainError, momentMs } from '#platform/foundation';
import { DECISION_STATES, type DecisionState, type Waiver } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';

const DAY_MS = 86_400_000;
/** The longest time for which a finding can be waived or accepted. */
export const DECISION_DAYS_MAX = 366;
const REASON_LENGTH_MAX = 1_000;
export const ASSIGNEE_LENGTH_MAX = 200;
/** What is decided, as asked for. */
export interface DecisionRequest {
  readonly state: DecisionState;
  readonly reason: string;
  /** RFC 3339 date or instant; a date means its first instant in UTC. */
  readonly until: string;
}

export interface Decision extends DecisionRequest {
  /** The name of the key, or the signed-in person. */
  readonly by: string;
  readonly at: string;
  /** Of the rule, when it was decided. */
  readonly meaning: string;
}

export interface Assignment {
  readonly assignee: string;
  readonly by: string;
  readonly at: string;
}

/** The stored document of a finding. It has a decision, an assignment, or both. */
export interface FindingCare {
  readonly decision?: Decision | undefined;
  readonly assignment?: Assignment | undefined;
}

/** Why a decision is in force no more. */
export type Lapse = 'expired' | 'rule_changed';

/** Throws INVALID_REQUEST. */
export function checkedDecision({ state, reason, until }: DecisionRequest, nowMs: number): DecisionRequest {
  if (!DECISION_STATES.includes(state)) throw fault('state', `expected ${DECISION_STATES.join(' or ')}`);
  const endMs = momentMs(until);
  if (endMs === undefined)
    throw fault('until', 'expected a date such as 2027-01-31, or an RFC 3339 instant with its offset');
  if (endMs <= nowMs) throw fault('until', 'expected a time in the future');
  if (endMs > nowMs + DECISION_DAYS_MAX * DAY_MS)
    throw fault('until', `expected a time within ${DECISION_DAYS_MAX} days`);
  return { state, reason: checkedText('reason', reason, REASON_LENGTH_MAX), until };
}

/** Throws INVALID_REQUEST for a text that is empty, too long or not well-formed. */
export function checkedText(field: string, value: string, lengthMax: number): string {
  const text = value.trim();
  if (text === '') throw fault(field, 'expected a text, got an empty one');
  if (text.length > lengthMax) throw fault(field, `expected a text of at most ${lengthMax} characters`);
  if (!text.isWellFormed() || text.includes('\0'))
    throw fault(field, 'expected well-formed text without NUL');
  return text;
}

/** Why the decision about a finding of the rule is not in force; undefined if it is. */
export function lapseOf({ until, meaning }: Decision, rule: Rule, nowMs: number): Lapse | undefined {
  if (Date.parse(until) <= nowMs) return 'expired';
  return meaning === meaningOf(rule) ? undefined : 'rule_changed';
}

export function waiverOf({ state, reason, until, by }: Decision): Waiver {
  return { reason, approver: by, expires: until, decision: state };
}

/**
 * Identifies what a rule asks of an entity: its query and the values of its parameters. A decision was made
 * about that, and says nothing about the findings of another question (ADR 0545).
 */
export function meaningOf(rule: Rule): string {
  const known = meanings.get(rule);
  if (known !== undefined) return known;
  const { query = null, cypher = null, parameters } = rule;
  const byName = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const meaning = hash('sha256', JSON.stringify([query, cypher, byName]));
  meanings.set(rule, meaning);
  return meaning;
}

/** Rules are immutable: an edited one is a new object. */
const meanings = new WeakMap<Rule, string>();

function fault(field: string, message: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${field}: ${message}`, { details: { field } });
}
