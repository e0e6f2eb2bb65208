import type { Warning } from '#graph/model';
import type { GraphReader } from '#graph/execution';
import type { QueryEngine } from '#graph/query';
import { completed, type Clock, DomainError, nearestName, systemClock } from '#platform/foundation';
import type { Expectation, Rule, RuleException } from '../rule/rule.ts';
import {
  BY_DECISION,
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
import { CypherInquiry } from './cypher-inquiry.ts';
import { PqlInquiry } from './pql-inquiry.ts';
import type { Results } from './results.ts';
import type { Found, InquiryGround, RuleInquiry } from './rule-inquiry.ts';

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
  decidedCount: 0,
  violations: [],
  sightings: NO_SIGHTINGS,
  isComplete: false,
  warnings: [],
} as const;

export function failedOutcome(error: string, durationMs: number): RuleOutcome {
  return { ...NOTHING_FOUND, status: 'Error', error, durationMs };
}

class RuleRun {
  readonly #reader: GraphReader;
  readonly #task: RuleTask;
  readonly #inquiry: RuleInquiry;
  /** Warnings by message: several queries may have the same one. */
  readonly #warnings = new Map<string, RuleWarning>();
  /** Set if a query looked no further than a bound that the rule does not state: the outcome is unknown. */
  cut: Warning | undefined;

  constructor(engine: QueryEngine, reader: GraphReader, task: RuleTask, clock: Clock) {
    this.#reader = reader;
    this.#task = task;
    const deadlineMs = clock.monotonicMs() + task.timeoutMs;
    const ground: InquiryGround = {
      engine,
      reader,
      clock,
      task,
      params: boundParameters(task.rule, task.params),
      leftMs: () => Math.max(0, deadlineMs - clock.monotonicMs()),
      warn: (warnings) => {
        this.#warn(warnings);
      },
      cutBy: (warning) => {
        this.cut ??= warning;
      },
    };
    this.#inquiry = task.rule.cypher === undefined ? new PqlInquiry(ground) : new CypherInquiry(ground);
  }

  outcome(): Omit<RuleOutcome, 'error' | 'durationMs'> {
    const { rule } = this.#task;
    const found = this.#inquiry.find();
    const { results } = found;
    const waivers = this.#waivers(results);
    const unwaived = results.count - waivers.size;
    const population = this.#population(rule, results.count);
    this.#warn(results.unknownIdentity.map((field) => this.#identityWarning(field)));
    const warnings = [...this.#warnings.values()];
    const counts = {
      waivedCount: waivers.size,
      decidedCount: waivers
        .values()
        .filter(({ exception }) => exception === BY_DECISION)
        .toArray().length,
      ...(population && { population }),
      warnings,
    };
    if (results.count === 0 && this.#isWithoutData(found, population)) {
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
      sightings: sightingsOf(results, waivers),
      isComplete: results.count <= FINDINGS_MAX,
    };
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
  #isWithoutData(found: Found, population: Population | undefined): boolean {
    const { rule, needsData = true } = this.#task;
    if (!needsData) return false;
    const missing = this.#inquiry.missing();
    const isAboutNothing = population?.total === 0 || completed(this.#reader.count({ names: '*' })) === 0;
    const isJudgedByWords = !('min' in rule.expect);
    if (!isAboutNothing && (!isJudgedByWords || missing.length === 0)) return false;
    const isReported = ({ code, position }: Warning): boolean =>
      found.warnings.some((warning) => warning.code === code && warning.position === position);
    this.#warn(missing.filter((warning) => !isReported(warning)));
    return true;
  }

  /** Waivers by result number; the first matching exception is used, and a decision where there is none. */
  #waivers(results: Results): Waivers {
    const { rule, nowMs } = this.#task;
    const waivers = new Map<number, AppliedWaiver>();
    for (const [number, exception] of rule.exceptions.entries()) {
      if (hasExpired(exception, nowMs) || results.count === 0 || this.#lacksWord(exception)) continue;
      const applied = { waiver: waiverOf(exception), exception: number };
      for (const index of this.#inquiry.matching(exception, results)) {
        if (!waivers.has(index)) waivers.set(index, applied);
      }
    }
    this.#addDecisions(results, waivers);
    return waivers;
  }

  #addDecisions(results: Results, waivers: Map<number, AppliedWaiver>): void {
    const decided = new Map(this.#task.waivers ?? []);
    if (decided.size === 0) return;
    for (let index = 0; index < results.count; index++) {
      const waiver = waivers.has(index) ? undefined : decided.get(results.findingId(index));
      if (waiver !== undefined) waivers.set(index, { waiver, exception: BY_DECISION });
    }
  }

  /**
   * Whether an exception names something that no entity has, under a negation or not: `envv != 'prod'` would
   * waive everything. Such an exception waives nothing, and gives a warning.
   */
  #lacksWord(exception: RuleException): boolean {
    const words = this.#inquiry.missingIn(exception);
    this.#warn(
      words.map((word) => ({
        ...word,
        message: `the exception "${exception.reason}" waives nothing: ${word.message}`,
      })),
    );
    return words.length > 0;
  }

  #population({ population }: Rule, found: number): Population | undefined {
    if (population === undefined) return undefined;
    const total = this.#inquiry.countOf(population);
    return { total, passing: Math.max(0, total - found) };
  }

  #violations(results: Results, waivers: Waivers): RuleViolation[] {
    const { violationsMax } = this.#task;
    const shown: RuleViolation[] = [];
    for (const isWaived of [false, true]) {
      for (let index = 0; index < results.count && shown.length < violationsMax; index++) {
        if (waivers.has(index) === isWaived) shown.push(results.violation(index, waivers.get(index)?.waiver));
      }
    }
    return shown;
  }
}

/** Whether a number of unwaived results is as expected. */
export function isMet(expect: Expectation, count: number): boolean {
  if ('rows' in expect) return count === expect.rows;
  return 'max' in expect ? count <= expect.max : count >= expect.min;
}

/** The number of missing expected results; undefined if the results are the violations. */
function lackingResults(expect: Expectation, count: number): number | undefined {
  if ('min' in expect) return Math.max(0, expect.min - count);
  return 'rows' in expect && count < expect.rows ? expect.rows - count : undefined;
}

/** A waiver, and the number of its exception in the rule. */
interface AppliedWaiver {
  readonly waiver: Waiver;
  readonly exception: number;
}

/** By result number. */
type Waivers = ReadonlyMap<number, AppliedWaiver>;

function sightingsOf(results: Results, waivers: Waivers): Sightings {
  const numbers = Array.from({ length: Math.min(results.count, FINDINGS_MAX) }, (_, index) => index);
  return {
    findingIds: numbers.map((index) => results.findingId(index)),
    labels: numbers.map((index) => results.label(index)),
    classes: numbers.map((index) => results.class(index)),
    entityIds: numbers.map((index) => results.entityId(index)),
    waived: numbers.flatMap((index) => {
      const applied = waivers.get(index);
      return applied === undefined ? [] : [[index, applied.exception] as const];
    }),
  };
}

export function hasExpired({ expires }: RuleException, nowMs: number): boolean {
  return expires !== undefined && Date.parse(expires) <= nowMs;
}

function waiverOf({ reason, approver, expires }: RuleException): Waiver {
  return { reason, ...(approver !== undefined && { approver }), ...(expires !== undefined && { expires }) };
}
