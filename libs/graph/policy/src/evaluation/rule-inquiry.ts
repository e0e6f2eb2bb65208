import type { GraphReader } from '#graph/execution';
import type { Warning } from '#graph/model';
import type { ParameterValue, QueryEngine } from '#graph/query';
import type { Clock } from '#platform/foundation';
import type { RuleException } from '../rule/rule.ts';
import type { RuleTask } from './outcome.ts';
import type { Results } from './results.ts';

/** What the questions of one run of a rule share. */
export interface InquiryGround {
  readonly engine: QueryEngine;
  readonly reader: GraphReader;
  readonly clock: Clock;
  readonly task: RuleTask;
  readonly params: Readonly<Record<string, ParameterValue>>;
  /** What is left of the rule's time. */
  readonly leftMs: () => number;
  readonly warn: (warnings: readonly Warning[]) => void;
  /** A query looked no further than a bound that the rule does not state. */
  readonly cutBy: (warning: Warning | undefined) => void;
}

export interface Found {
  readonly results: Results;
  /** Of the rule's query. */
  readonly warnings: readonly Warning[];
}

/** The questions of a rule to one snapshot, in the language of the rule. */
export interface RuleInquiry {
  find(): Found;
  /** The number of entities that a population has. */
  countOf(population: string): number;
  /** Numbers of the results that meet the condition of an exception. */
  matching(exception: RuleException, results: Results): Iterable<number>;
  /** Names that may be why the query has no results. */
  missing(): readonly Warning[];
  /** Names of an exception that the data does not have. */
  missingIn(exception: RuleException): readonly Warning[];
}
