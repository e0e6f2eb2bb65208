import type { Warning } from '#graph/model';
import type { GraphReader } from '#graph/execution';
import type { QueryEngine, QueryResult } from '#graph/query';
import { completed, type Clock, DomainError, nearestName, systemClock } from '#platform/foundation';
import { compileException, compileQuery, type RuleQuery } from '../rule/rule-query.ts';
import type { Expectation, Rule, RuleException } from '../rule/rule.ts';
import {
  FINDINGS_MAX,
  NO_SIGHTINGS,
  type Population,
  type RuleOutcome,
  type RuleTask,
  type RuleWarning,
  type Sightings,
  type RuleViolation,
  type Waiver,
} from './outcome.ts';
import { boundParameters } from './parameters.ts';
import { type Results, resultsOf } from './results.ts';

/**
 * Evaluates one rule on one snapshot, synchronously: for worker threads, tests and command lines. An error of
 * the rule or its run becomes an outcome with status `Error`; only internal defects are thrown.
 */
export function evaluateRule(
  engine: QueryEngine,
  reader: GraphReader,
  task: RuleTask,
  clock: Clock = systemClock,
): RuleOutcome {
  const startMs = clock.monotonicMs();
  try {
    const run = new RuleRun(engine, reader, task, clock);
    const found = run.outcome();
    const durationMs = clock.monotonicMs() - startMs;
    if (run.cut === undefined) return { ...found, error: null, durationMs };
    return { ...failedOutcome(`${run.cut.code}: ${run.cut.message}`, durationMs), warnings: found.warnings };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return failedOutcome(`${error.code}: ${error.message}`, clock.monotonicMs() - startMs);
  }
}

const NOTHING_FOUND = {
  violationCount: 0,
  waivedCount: 0,
  violations: [],
  sightings: NO_SIGHTINGS,
  isComplete: false,
  warnings: [],
} as const;

export function failedOutcome(error: string, durationMs: number): RuleOutcome {
  return { ...NOTHING_FOUND, status: 'Error', error, durationMs };
}

class RuleRun {
  readonly #engine: QueryEngine;
  readonly #reader: GraphReader;
  readonly #task: RuleTask;
  readonly #clock: Clock;
  readonly #deadlineMs: number;
  readonly #params: ReturnType<typeof boundParameters>;
  /** Warnings by message: several queries may have the same one. */
  readonly #warnings = new Map<string, RuleWarning>();
  /** Set if a query looked no further than a bound that the rule does not state: the outcome is unknown. */
  cut: Warning | undefined;

  constructor(engine: QueryEngine, reader: GraphReader, task: RuleTask, clock: Clock) {
    this.#engine = engine;
    this.#reader = reader;
    this.#task = task;
    this.#clock = clock;
    this.#deadlineMs = clock.monotonicMs() + task.timeoutMs;
    this.#params = boundParameters(task.rule, task.params);
  }

  outcome(): Omit<RuleOutcome, 'error' | 'durationMs'> {
    const { rule } = this.#task;
    const query = compileQuery(rule.query);
    const found = this.#run(query);
    const results = resultsOf(rule, query.shape, this.#reader, found);
    const waivers = this.#waivers(results, query);
    const unwaived = results.count - waivers.size;
    const population = this.#population(rule, results.count);
    this.#warn(results.unknownIdentity.map((field) => this.#identityWarning(field)));
    const warnings = [...this.#warnings.values()];
    const counts = { waivedCount: waivers.size, ...(population && { population }), warnings };
    if (results.count === 0 && this.#isWithoutData(query, found, population)) {
      return { ...NOTHING_FOUND, status: 'NoData', ...counts, warnings: [...this.#warnings.values()] };
    }
    const status = isMet(rule.expect, unwaived) ? 'Pass' : 'Fail';
    const lacking = lackingResults(rule.expect, unwaived);
    if (lacking !== undefined) {
      return { ...NOTHING_FOUND, status, violationCount: lacking, ...counts, isComplete: true };
    }
    return {
      status,
      violationCount: unwaived,
      ...counts,
      violations: this.#violations(results, waivers),
      sightings: sightingsOf(results),
      isComplete: results.count <= FINDINGS_MAX,
    };
  }

  #run({ pql, statesDepth }: RuleQuery): QueryResult {
    const timeoutMs = Math.max(0, this.#deadlineMs - this.#clock.monotonicMs());
    const result = this.#engine.runSync(this.#reader, pql, { params: this.#params, timeoutMs });
    const { warnings } = result;
    this.#warn(statesDepth ? warnings.filter(({ code }) => code !== 'DEPTH_LIMIT') : warnings);
    if (!statesDepth) this.cut ??= warnings.find(({ code }) => code === 'DEPTH_LIMIT');
    return result;
  }

  #identityWarning(field: string): Warning {
    const nearest = nearestName(field, this.#reader.propertyNames('*'));
    const message = `nothing that the rule finds has \`${field}\`, a field of its identity`;
    return { code: 'UNKNOWN_PROPERTY', message, ...(nearest !== undefined && { nearest }) };
  }

  #warn(warnings: readonly Warning[]): void {
    for (const { code, message, nearest } of warnings) {
      const word = typeof nearest === 'string' ? nearest : nearest?.[0];
      this.#warnings.set(message, { code, message, nearest: word ?? null });
    }
  }

  /**
   * Whether a query without results could not have had any: an empty graph, an empty population, or a name in
   * the query that the data does not have. Too few results are a violation even if a name is missing.
   */
  #isWithoutData({ pql }: RuleQuery, found: QueryResult, population: Population | undefined): boolean {
    const { rule, needsData = true } = this.#task;
    if (!needsData) return false;
    const missing = this.#engine.missingWords(this.#reader, pql, rule.may_be_absent);
    const isAboutNothing = population?.total === 0 || completed(this.#reader.count({ names: '*' })) === 0;
    const isJudgedByWords = !('min' in rule.expect);
    if (!isAboutNothing && (!isJudgedByWords || missing.length === 0)) return false;
    const isReported = ({ code, position }: Warning): boolean =>
      found.warnings.some((warning) => warning.code === code && warning.position === position);
    this.#warn(missing.filter((warning) => !isReported(warning)));
    return true;
  }

  /** Waivers by result number; the first matching exception is used. */
  #waivers(results: Results, { shape }: RuleQuery): ReadonlyMap<number, Waiver> {
    const { rule, nowMs } = this.#task;
    const waivers = new Map<number, Waiver>();
    for (const exception of rule.exceptions) {
      if (hasExpired(exception, nowMs) || results.count === 0 || this.#lacksWord(exception)) continue;
      const query = compileException(rule.query, exception.match);
      const matching = resultsOf(
        rule,
        shape === 'groups' ? 'groups' : 'entities',
        this.#reader,
        this.#run(query),
      );
      const tokens = new Set(Array.from({ length: matching.count }, (_, index) => matching.tokenOf(index)));
      const waiver = waiverOf(exception);
      for (let index = 0; index < results.count; index++) {
        if (!waivers.has(index) && tokens.has(results.tokenOf(index))) waivers.set(index, waiver);
      }
    }
    return waivers;
  }

  /**
   * Whether an exception names something that no entity has, under a negation or not: `envv != 'prod'` would
   * waive everything. Such an exception waives nothing, and gives a warning.
   */
  #lacksWord({ match, reason }: RuleException): boolean {
    const { rule } = this.#task;
    const queries = [match, `NOT (${match})`].map((text) => compileException(rule.query, text));
    const words = queries.flatMap(({ pql }) =>
      this.#engine.missingWords(this.#reader, pql, rule.may_be_absent),
    );
    this.#warn(
      words.map((word) => ({
        ...word,
        message: `the exception "${reason}" waives nothing: ${word.message}`,
      })),
    );
    return words.length > 0;
  }

  #population({ population }: Rule, found: number): Population | undefined {
    if (population === undefined) return undefined;
    const total = this.#run(compileQuery(population)).count;
    return { total, passing: Math.max(0, total - found) };
  }

  #violations(results: Results, waivers: ReadonlyMap<number, Waiver>): RuleViolation[] {
    const { violationsMax } = this.#task;
    const shown: RuleViolation[] = [];
    for (const isWaived of [false, true]) {
      for (let index = 0; index < results.count && shown.length < violationsMax; index++) {
        if (waivers.has(index) === isWaived) shown.push(results.violation(index, waivers.get(index)));
      }
    }
    return shown;
  }
}

function isMet(expect: Expectation, count: number): boolean {
  if ('rows' in expect) return count === expect.rows;
  return 'max' in expect ? count <= expect.max : count >= expect.min;
}

/** The number of missing expected results; undefined if the results are the violations. */
function lackingResults(expect: Expectation, count: number): number | undefined {
  if ('min' in expect) return Math.max(0, expect.min - count);
  return 'rows' in expect && count < expect.rows ? expect.rows - count : undefined;
}

function sightingsOf(results: Results): Sightings {
  const numbers = Array.from({ length: Math.min(results.count, FINDINGS_MAX) }, (_, index) => index);
  return {
    findingIds: numbers.map((index) => results.findingId(index)),
    labels: numbers.map((index) => results.label(index)),
    classes: numbers.map((index) => results.class(index)),
  };
}

export function hasExpired({ expires }: RuleException, nowMs: number): boolean {
  return expires !== undefined && Date.parse(expires) <= nowMs;
}

function waiverOf({ reason, approver, expires }: RuleException): Waiver {
  return { reason, ...(approver !== undefined && { approver }), ...(expires !== undefined && { expires }) };
}
