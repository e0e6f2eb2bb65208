import { hash } from 'node:crypto';
import { type Clock, DomainError } from '#platform/foundation';
import { hasExpired } from '../evaluation/evaluate-rule.ts';
import { UNDECIDED } from './finding-decisions.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationSummary, LastRun, PastEvaluation } from './evaluation.ts';
import {
  EVALUATION_PREFIX,
  LAST_RUN_PREFIX,
  NAMESPACE,
  type PolicyDocument,
  type PolicyDocuments,
} from './policy-ports.ts';

/** Maximum number of kept evaluations. */
export const EVALUATIONS_MAX = 100;

/** The last runs of an evaluation, and the marks of the decisions that they went by, by rule id. */
export interface LastRuns {
  readonly byRule: ReadonlyMap<Rule, LastRun>;
  readonly decided: ReadonlyMap<string, string>;
}

/** The mark of the decisions about the findings of a rule that are in force at a time. */
type DecidedBy = (rule: Rule, nowMs: number) => string;

/** Counts missing in evaluations of earlier versions. */
const OLDER = { no_data: 0 } as const;

/** A rule's last run, and the definition of the rule at that time. */
interface KnownRun {
  readonly run: LastRun;
  readonly definition: string;
  /** What was decided about its findings then: the mark of the decisions. */
  readonly decided: string;
}

/**
 * The last evaluations, and each rule's last run. A run belongs to the definition that was run: a rule that
 * has changed since, in a file or through the API, has no last run until it is evaluated again. Nor has a
 * rule whose run counted waived violations, if one of its exceptions has expired since.
 */
export class EvaluationHistory {
  readonly #documents: PolicyDocuments;
  readonly #clock: Clock;
  readonly #decidedBy: DecidedBy;
  #lastRuns = new Map<string, KnownRun>();
  /** Later runs that the store could not take, with the versions that they read: posture shows them. */
  #unstored = new Map<string, KnownRun & { readonly version: number }>();
  /** Oldest first. */
  #summaries: readonly EvaluationSummary[] = [];

  /** `decidedBy`: the mark of what is decided about the findings of a rule at a time. */
  constructor(documents: PolicyDocuments, clock: Clock, decidedBy: DecidedBy = () => UNDECIDED) {
    this.#documents = documents;
    this.#clock = clock;
    this.#decidedBy = decidedBy;
  }

  async load(): Promise<void> {
    const lastRuns = new Map<string, KnownRun>();
    for await (const { id, value } of this.#documents.all(NAMESPACE, LAST_RUN_PREFIX)) {
      const stored = value as LastRun & { readonly definition?: string; readonly decided?: string };
      const { definition = '', decided = UNDECIDED, ...run } = stored;
      lastRuns.set(id.slice(LAST_RUN_PREFIX.length), { run, definition, decided });
    }
    const summaries: EvaluationSummary[] = [];
    for await (const { value } of this.#documents.all(NAMESPACE, EVALUATION_PREFIX)) {
      summaries.push(summaryOf(value as PastEvaluation));
    }
    this.#lastRuns = lastRuns;
    this.#summaries = summaries;
  }

  /** The last run of the rule that holds at `nowMs`, stored or not. */
  lastRun(rule: Rule, nowMs: number = this.#clock.nowMs()): LastRun | undefined {
    const unstored = runOf(rule, this.#unstored.get(rule.id), nowMs);
    return unstored ?? runOf(rule, this.#lastRuns.get(rule.id), nowMs);
  }

  /** The last stored run of the rule: what has changed since is reported. */
  storedRun(rule: Rule): LastRun | undefined {
    return runOf(rule, this.#lastRuns.get(rule.id), this.#clock.nowMs());
  }

  /** The last run of the rule as it is defined now, whether or not an exception has expired since. */
  runOfDefinition(rule: Rule): LastRun | undefined {
    return this.#runOfDefinition(rule)?.run;
  }

  /** Whether findings that the last run has waived are waived no more, or others are. */
  isDecidedAnew(rule: Rule, nowMs: number = this.#clock.nowMs()): boolean {
    const known = this.#runOfDefinition(rule);
    if (known === undefined) return false;
    return known.decided !== this.#decidedBy(rule, nowMs) || hasLostWaiver(rule, known.run, nowMs);
  }

  #runOfDefinition(rule: Rule): KnownRun | undefined {
    return [this.#unstored.get(rule.id), this.#lastRuns.get(rule.id)].find(
      (known) => known?.definition === definitionOf(rule),
    );
  }

  /** Returns each rule's last run as after the addition of `lastRuns`. */
  after(lastRuns: ReadonlyMap<Rule, LastRun>): (rule: Rule) => LastRun | undefined {
    const next = new Map(Array.from(lastRuns, ([rule, run]) => [rule.id, { rule, run }]));
    return (rule) => {
      const known = next.get(rule.id);
      return known !== undefined && definitionOf(known.rule) === definitionOf(rule)
        ? known.run
        : this.lastRun(rule);
    };
  }

  forget(ruleId: string): void {
    this.#unstored.delete(ruleId);
    this.#lastRuns.delete(ruleId);
  }

  /** Newest first. */
  list(): readonly EvaluationSummary[] {
    return this.#summaries.toReversed();
  }

  /** The snapshot version of an evaluation; undefined if the evaluation is no longer kept. */
  versionOf(id: string): number | undefined {
    const unstored = this.#unstored.values().find(({ run }) => run.evaluation_id === id);
    if (unstored !== undefined) return unstored.version;
    return this.#summaries.find(({ evaluation_id: known }) => known === id)?.snapshot_version;
  }

  async get(id: string): Promise<PastEvaluation> {
    const isKnown = this.#summaries.some(({ evaluation_id: known }) => known === id);
    const found = isKnown ? await this.#documents.get(NAMESPACE, EVALUATION_PREFIX + id) : undefined;
    if (found === undefined) throw new DomainError('NOT_FOUND', 'no such evaluation', { details: { id } });
    return { ...OLDER, ...(found as PastEvaluation) };
  }

  /** Stores an evaluation, its last runs, and `changes`, in one batch. */
  async add(
    evaluation: PastEvaluation,
    lastRuns: LastRuns,
    changes: readonly PolicyDocument[],
  ): Promise<void> {
    const summaries = [...this.#summaries, summaryOf(evaluation)];
    const known = Array.from(lastRuns.byRule, ([rule, run]) => ({
      id: rule.id,
      ...knownOf(lastRuns, rule, run),
    }));
    const dropped = summaries.slice(0, Math.max(0, summaries.length - EVALUATIONS_MAX));
    await this.#documents.change(NAMESPACE, [
      ...changes,
      ...known.map(({ id, run, definition, decided }) => ({
        id: LAST_RUN_PREFIX + id,
        value: { ...run, definition, ...(decided !== UNDECIDED && { decided }) },
      })),
      { id: EVALUATION_PREFIX + evaluation.evaluation_id, value: evaluation },
      ...dropped.map(({ evaluation_id: id }) => ({ id: EVALUATION_PREFIX + id, value: undefined })),
    ]);
    this.#summaries = summaries.slice(dropped.length);
    for (const { id, ...run } of known) {
      this.#lastRuns.set(id, run);
      this.#unstored.delete(id);
    }
  }

  /** Keeps the last runs of an evaluation in memory until later ones are stored. */
  keepUnstored(version: number, lastRuns: LastRuns): void {
    for (const [rule, run] of lastRuns.byRule)
      this.#unstored.set(rule.id, { ...knownOf(lastRuns, rule, run), version });
  }
}

function knownOf({ decided }: LastRuns, rule: Rule, run: LastRun): KnownRun {
  return { run, definition: definitionOf(rule), decided: decided.get(rule.id) ?? UNDECIDED };
}

function runOf(rule: Rule, known: KnownRun | undefined, nowMs: number): LastRun | undefined {
  if (known?.definition !== definitionOf(rule)) return undefined;
  return hasLostWaiver(rule, known.run, nowMs) ? undefined : known.run;
}

function summaryOf(evaluation: PastEvaluation): EvaluationSummary {
  const { results, ...summary } = evaluation;
  return { ...OLDER, ...summary, total: results.length };
}

/** Whether an exception of a rule with waived violations has expired since the run. */
function hasLostWaiver({ exceptions }: Rule, run: LastRun, nowMs: number): boolean {
  if (run.waived_count === 0) return false;
  const evaluatedMs = Date.parse(run.evaluated_at);
  return exceptions.some((exception) => hasExpired(exception, nowMs) && !hasExpired(exception, evaluatedMs));
}

/**
 * Identifies the parts of a rule that determine its outcome: query, population, parameters, expectation,
 * exceptions and `may_be_absent`. Outcomes of another definition do not apply. Titles and other descriptive
 * fields are not part of it.
 */
function definitionOf(rule: Rule): string {
  const known = definitions.get(rule);
  if (known !== undefined) return known;
  const { query, population = null, parameters, expect, exceptions, may_be_absent: absent } = rule;
  const byName = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [query, population, byName, expect, exceptions, absent];
  const definition = hash('sha256', JSON.stringify(parts));
  definitions.set(rule, definition);
  return definition;
}

/** Rules are immutable: an edited one is a new object. */
const definitions = new WeakMap<Rule, string>();
