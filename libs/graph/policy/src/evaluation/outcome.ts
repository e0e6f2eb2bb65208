import type { Warning } from '#graph/model';
import type { ParameterValue } from '#graph/query';
import type { Rule, RuleException } from '../rule/rule.ts';

/** Maximum number of findings of a rule with a first sighting; beyond it only the counts are exact. */
export const FINDINGS_MAX = 10_000;

/** `NoData`: the rule had no results, and could not have had any. */
export type RuleStatus = 'Pass' | 'Fail' | 'Error' | 'NoData' | 'Skipped';

/** One rule to evaluate; plain data that can be sent to a thread. */
export interface RuleTask {
  readonly rule: Rule;
  /** Parameters of the evaluation, which override the rule's defaults. */
  readonly params: Readonly<Record<string, ParameterValue>>;
  /** Maximum number of violations shown in full. */
  readonly violationsMax: number;
  readonly timeoutMs: number;
  /**
   * Whether a rule without results needs data to pass. Default true; false for a rule's own tests, whose data
   * is complete.
   */
  readonly needsData?: boolean;
  /** The time at which exceptions are checked for expiry. */
  readonly nowMs: number;
  /** The decisions in force, by the id of their finding. Default: none. */
  readonly waivers?: FindingWaivers | undefined;
}

/** What a person may decide about a finding: it is none here, or it is one whose risk is taken. */
export const DECISION_STATES = ['waived', 'accepted'] as const;
export type DecisionState = (typeof DECISION_STATES)[number];

/** Why a violation is not counted: an exception of its rule, or a decision about the finding. */
export interface Waiver extends Omit<RuleException, 'match'> {
  /** Absent for an exception of the rule. */
  readonly decision?: DecisionState;
}

/** Plain data, so that tasks can be sent and compared. */
export type FindingWaivers = readonly (readonly [findingId: string, waiver: Waiver])[];

/** An unexpected result of a rule. A group has `keys` and no entity. */
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
 * The data needed to recognize findings, and to label them after they are resolved. Parallel lists instead of
 * a list of objects: there may be very many, and sending an object to another thread costs more than its
 * texts.
 */
export interface Sightings {
  readonly findingIds: readonly string[];
  /** Name of each result: type and key of the entity, or the group's keys. */
  readonly labels: readonly string[];
  /** Class of each result's entity; null for a group. */
  readonly classes: readonly (string | null)[];
  /** Id of each result's entity; null for a group. */
  readonly entityIds: readonly (string | null)[];
  /** The waived results: their numbers, and those of the exceptions that waive them. */
  readonly waived: readonly WaivedSighting[];
}

/** The number of a result, and of the rule's exception that waives it; {@link BY_DECISION} for a decision. */
export type WaivedSighting = readonly [result: number, exception: number];

/** In place of the number of an exception. */
export const BY_DECISION = -1;

export const NO_SIGHTINGS: Sightings = {
  findingIds: [],
  labels: [],
  classes: [],
  entityIds: [],
  waived: [],
};

export interface Population {
  readonly total: number;
  /** The entities that are not results of the rule's query. */
  readonly passing: number;
}

/** A warning of the query language about a rule's queries on this data, such as an unknown name. */
export interface RuleWarning extends Pick<Warning, 'code' | 'message'> {
  /** The known name closest to the unknown one. */
  readonly nearest: string | null;
}

/** The result of one rule; plain data. */
export interface RuleOutcome {
  readonly status: Exclude<RuleStatus, 'Skipped'>;
  /** Exact, without waived ones. */
  readonly violationCount: number;
  readonly waivedCount: number;
  /** Number of waived violations that a decision waives, and no exception of the rule. */
  readonly decidedCount: number;
  readonly population?: Population;
  /** The first violations; counted ones before waived ones. */
  readonly violations: readonly RuleViolation[];
  /** The findings, including waived ones: at most {@link FINDINGS_MAX}. */
  readonly sightings: Sightings;
  /** Whether `sightings` contains all findings. */
  readonly isComplete: boolean;
  readonly warnings: readonly RuleWarning[];
  readonly error: string | null;
  readonly durationMs: number;
}
