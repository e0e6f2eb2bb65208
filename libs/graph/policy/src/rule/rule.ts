import type { ParameterValue, QueryParameter } from '#graph/query';

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The expected number of results: exactly, at most, or at least. */
export type Expectation = { readonly rows: number } | { readonly max: number } | { readonly min: number };

/** The framework that stands for all rules, mapped or not. */
export const ALL_FRAMEWORKS = 'all';

export interface FrameworkControl {
  readonly framework: string;
  readonly control: string;
  readonly title?: string | undefined;
}

/** A waiver: matching results stay visible, and are counted separately. */
export interface RuleException {
  /** A WITH condition; for a grouped query, a HAVING condition; in Cypher, one on the columns of a row. */
  readonly match: string;
  readonly reason: string;
  readonly approver?: string | undefined;
  /** RFC 3339 date or instant of expiry; a date means its first instant in UTC. */
  readonly expires?: string | undefined;
}

export interface RuleTest {
  readonly name: string;
  /** Entities in the form of a write request: {type, key, class?, display_name?, properties?}. */
  readonly entities: readonly unknown[];
  readonly relationships: readonly unknown[];
  readonly params: Readonly<Record<string, ParameterValue>>;
  readonly expect: {
    readonly status: 'pass' | 'fail' | 'error';
    /** Keys of all unwaived violations, in any order; for groups, their keys joined by commas. */
    readonly violations?: readonly string[] | undefined;
  };
}

/**
 * A validated rule with its defaults filled in. Plain JSON in the shape of a rule file, stored, sent and
 * shown in that form.
 */
export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly description: string;
  /** PQL; a rule has this or {@link cypher}. */
  readonly query?: string | undefined;
  /** A statement that reads; each row is a result. */
  readonly cypher?: string | undefined;
  /** In the language of the rule: a query for the entities that could violate the rule. */
  readonly population?: string | undefined;
  readonly parameters: Readonly<Record<string, QueryParameter>>;
  readonly expect: Expectation;
  /** Fields of the violating entity that identify a finding across runs; empty: the entity's id. */
  readonly identity: readonly string[];
  readonly frameworks: readonly FrameworkControl[];
  readonly tags: readonly string[];
  /** `manual`, `every:<duration>`, `cron:<expression>` in UTC, `on_sync:<connector>` or `on_sync:*`. */
  readonly schedule: string;
  readonly remediation: string;
  readonly exceptions: readonly RuleException[];
  readonly enabled: boolean;
  /** Names in the queries that may be absent from the data. */
  readonly may_be_absent: readonly string[];
  readonly tests: readonly RuleTest[];
}
