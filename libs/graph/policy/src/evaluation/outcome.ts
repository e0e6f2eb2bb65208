import type { Warning } from '#graph/model';
import type { ParameterValue } from '#graph/query';
import type { Rule, RuleException } from '../rule/rule.ts';

/** Most findings of one rule whose first sighting is kept; beyond them only the counts are exact. */
export const FINDINGS_MAX = 10_000;

/** `NoData`: the rule found nothing, and there was nothing that it could have found. */
export type RuleStatus = 'Pass' | 'Fail' | 'Error' | 'NoData' | 'Skipped';

/** One rule to evaluate; plain data, so that it can be sent to a thread. */
export interface RuleTask {
  readonly rule: Rule;
  /** Values that the evaluation gives, beside the rule's defaults. */
  readonly params: Readonly<Record<string, ParameterValue>>;
  /** So many violations are shown in full. */
  readonly violationsMax: number;
  readonly timeoutMs: number;
  /**
   * Whether a rule that finds nothing needs data to pass. Default true; a rule's own tests bring all there
   * is.
   */
  readonly needsData?: boolean;
  /** Decides which exceptions have expired. */
  readonly nowMs: number;
}

/** Why a violation does not count. */
export type Waiver = Omit<RuleException, 'match'>;

/** One result that a rule does not want. A group has `keys` and no entity. */
export interface RuleViolation {
  /** `<rule id>:<32 hex>`, the same in every run. */
  readonly finding_id: string;
  readonly entity_id: string | null;
  readonly type: string | null;
  readonly key: string | null;
  readonly class: string | null;
  readonly display_name: string;
  readonly keys?: readonly unknown[];
  readonly waived?: Waiver;
}

/**
 * Just enough of findings to know them again and to name them when they are gone. Two lists instead of a list
 * of pairs: there may be very many, and each object costs more to send to another thread than its texts.
 */
export interface Sightings {
  readonly findingIds: readonly string[];
  /** Of the same length: type and key of the entity, or the group's keys. */
  readonly labels: readonly string[];
  /** Of the same length: the entity's class; null of a group. */
  readonly classes: readonly (string | null)[];
}

export const NO_SIGHTINGS: Sightings = { findingIds: [], labels: [], classes: [] };

export interface Population {
  readonly total: number;
  /** Not found by the rule's query. */
  readonly passing: number;
}

/** What the query language has to say of a rule's queries on this data: a name that nothing has, say. */
export interface RuleWarning extends Pick<Warning, 'code' | 'message'> {
  /** The known word that is spelt most like an unknown one. */
  readonly nearest: string | null;
}

/** What came of one rule; plain data. */
export interface RuleOutcome {
  readonly status: Exclude<RuleStatus, 'Skipped'>;
  /** Exact, waived ones left out. */
  readonly violationCount: number;
  readonly waivedCount: number;
  readonly population?: Population;
  /** The first ones, those that count before those that are waived. */
  readonly violations: readonly RuleViolation[];
  /** At most {@link FINDINGS_MAX}, waived ones too. */
  readonly sightings: Sightings;
  /** Whether `sightings` are all there are. */
  readonly isComplete: boolean;
  readonly warnings: readonly RuleWarning[];
  readonly error: string | null;
  readonly durationMs: number;
}
