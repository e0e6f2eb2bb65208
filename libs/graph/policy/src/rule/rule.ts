import type { ParameterValue, QueryParameter } from '#graph/query';

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How many results a rule expects: exactly, at most, or at least so many. */
export type Expectation = { readonly rows: number } | { readonly max: number } | { readonly min: number };

export interface FrameworkControl {
  readonly framework: string;
  readonly control: string;
  readonly title?: string | undefined;
}

/** A waiver: results that match stay visible, and count apart. */
export interface RuleException {
  /** A condition as after WITH; for a grouped query, as after HAVING. */
  readonly match: string;
  readonly reason: string;
  readonly approver?: string | undefined;
  /** RFC 3339 date or instant from which it holds no more; a date is its first instant in UTC. */
  readonly expires?: string | undefined;
}

export interface RuleTest {
  readonly name: string;
  /** As in the body of a write: {type, key, class?, display_name?, properties?}. */
  readonly entities: readonly unknown[];
  readonly relationships: readonly unknown[];
  readonly params: Readonly<Record<string, ParameterValue>>;
  readonly expect: {
    readonly status: 'pass' | 'fail' | 'error';
    /** Keys of all unwaived violations, in any order; for groups their keys joined by a comma. */
    readonly violations?: readonly string[] | undefined;
  };
}

/**
 * A rule as it was written, checked and with its defaults filled in. Plain JSON in the shape of a rule file,
 * so that it is stored, sent and shown as it is.
 */
export interface Rule {
  readonly id: string;
  readonly name: string;
  readonly severity: Severity;
  readonly description: string;
  readonly query: string;
  /** What could violate the rule. */
  readonly population?: string | undefined;
  readonly parameters: Readonly<Record<string, QueryParameter>>;
  readonly expect: Expectation;
  /** Fields of the violating entity that name a finding over runs; empty: the entity's id. */
  readonly identity: readonly string[];
  readonly frameworks: readonly FrameworkControl[];
  readonly tags: readonly string[];
  /** `manual`, `every:<duration>`, `cron:<expression>` in UTC, or `on_sync:<connector>`. */
  readonly schedule: string;
  readonly remediation: string;
  readonly exceptions: readonly RuleException[];
  readonly enabled: boolean;
  /** Words of the queries that are not missed where the data does not have them. */
  readonly may_be_absent: readonly string[];
  readonly tests: readonly RuleTest[];
}
