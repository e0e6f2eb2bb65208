import type { DecisionState } from '../evaluation/outcome.ts';
import { type Rule, SEVERITIES, type Severity } from '../rule/rule.ts';
import type { LastRun } from './evaluation.ts';
import type { FindingCare, Lapse } from './finding-decision.ts';
import type { KnownFinding, SightedFinding } from './finding-log.ts';

/** `open`: neither an exception of the rule nor a decision waives it. */
export type FindingState = 'open' | DecisionState;

/** A finding and its rule, as far as filters and orders look at them. */
export interface FoundFinding {
  readonly findingId: string;
  readonly rule: Rule;
  readonly run: LastRun;
  /** Within a scope it is not known since when. */
  readonly known: SightedFinding & Partial<Pick<KnownFinding, 'firstSeenMs' | 'openedMs'>>;
  readonly care: FindingCare;
  readonly state: FindingState;
  readonly lapse: Lapse | undefined;
  /** The last time at which it became a finding that counts, where it is known. */
  readonly openedMs: number | undefined;
}

/** Each field narrows the list; undefined: all. */
export interface FindingFilter {
  readonly severities?: readonly Severity[] | undefined;
  readonly states?: readonly FindingState[] | undefined;
  readonly ruleId?: string | undefined;
  readonly class?: string | undefined;
  /** Null: of nobody. */
  readonly assignee?: string | null | undefined;
  readonly openedSinceMs?: number | undefined;
  readonly openedBeforeMs?: number | undefined;
  /** Part of the label, or of the id or name of the rule, in any case. */
  readonly text?: string | undefined;
}

export const FINDING_ORDERS = ['severity', 'opened', 'rule', 'label', 'class', 'assignee', 'until'] as const;

export interface FindingOrder {
  readonly by: (typeof FINDING_ORDERS)[number];
  readonly isDescending: boolean;
}

export function passes(found: FoundFinding, filter: FindingFilter): boolean {
  const { rule, known, care, state, openedMs } = found;
  return (
    isWithin(openedMs, filter) &&
    isAmong(filter.severities, rule.severity) &&
    isAmong(filter.states, state) &&
    isWanted(filter.ruleId, rule.id) &&
    isWanted(filter.class, known.class) &&
    isWanted(filter.assignee, care.assignment?.assignee ?? null) &&
    hasText(found, filter.text)
  );
}

function isWithin(
  openedMs: number | undefined,
  { openedSinceMs, openedBeforeMs }: Pick<FindingFilter, 'openedSinceMs' | 'openedBeforeMs'>,
): boolean {
  if (openedSinceMs === undefined && openedBeforeMs === undefined) return true;
  if (openedMs === undefined) return false;
  return openedMs >= (openedSinceMs ?? -Infinity) && openedMs < (openedBeforeMs ?? Infinity);
}

function isAmong<Word>(wanted: readonly Word[] | undefined, word: Word): boolean {
  return wanted === undefined || wanted.includes(word);
}

function isWanted(wanted: string | null | undefined, value: string | null): boolean {
  return wanted === undefined || wanted === value;
}

function hasText({ rule, known }: FoundFinding, text: string | undefined): boolean {
  if (text === undefined || text === '') return true;
  const wanted = text.toLowerCase();
  return [known.label, rule.name, rule.id].some((each) => each.toLowerCase().includes(wanted));
}

/** The most severe and the latest first, unless another order is wanted; what an order lacks comes last. */
export function inOrder(
  found: readonly FoundFinding[],
  { by, isDescending }: FindingOrder,
): readonly FoundFinding[] {
  const keyed = found.map((each) => ({ each, key: KEYS[by](each), rank: severityRank(each) }));
  const sign = isDescending ? -1 : 1;
  return keyed
    .sort(
      (a, b) =>
        compareKeys(a.key, b.key, sign) ||
        a.rank - b.rank ||
        (b.each.openedMs ?? 0) - (a.each.openedMs ?? 0) ||
        (a.each.findingId < b.each.findingId ? -1 : 1),
    )
    .map(({ each }) => each);
}

type Key = number | string | null;

const KEYS: Readonly<Record<FindingOrder['by'], (found: FoundFinding) => Key>> = {
  severity: severityRank,
  opened: ({ openedMs }) => openedMs ?? null,
  rule: ({ rule }) => rule.name,
  label: ({ known }) => known.label,
  class: ({ known }) => known.class,
  assignee: ({ care }) => care.assignment?.assignee ?? null,
  until: ({ care, state }) => (state === 'open' ? null : (care.decision?.until ?? null)),
};

function severityRank({ rule }: FoundFinding): number {
  return SEVERITIES.indexOf(rule.severity);
}

function compareKeys(a: Key, b: Key, sign: number): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return (a < b ? -1 : 1) * sign;
}
