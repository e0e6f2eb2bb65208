import type { ChangeMark } from '#graph/memory';
import type { Scope } from '#graph/model';
import { type Clock, DomainError, systemClock, Turns } from '#platform/foundation';
import { entityFindingId } from '../evaluation/results.ts';
import { ALL_FRAMEWORKS, type Rule } from '../rule/rule.ts';
import { EvaluationHistory } from './evaluation-history.ts';
import { type EvaluatedRule, lastRunOf, resultOf } from './evaluation-record.ts';
import type {
  DatedRun,
  Evaluation,
  EvaluationRequest,
  EvaluationTrigger,
  LastRun,
  PastEvaluation,
  RatedRule,
  RuleResult,
} from './evaluation.ts';
import { type FindingChanges, FindingLog } from './finding-log.ts';
import { FindingDecisions } from './finding-decisions.ts';
import { FindingRegister } from './finding-register.ts';
import { outcomeFootprint } from './kept-outcomes.ts';
import {
  type EvaluationListener,
  type EvaluationNews,
  NAMESPACE,
  type PolicyDocuments,
  type PolicyGraph,
  type PolicyLog,
  PREFIXES,
  type RuleEvaluator,
} from './policy-ports.ts';
import {
  type Freshness,
  datingOf,
  isPassedByDecision,
  type Posture,
  postureOf,
  type ScoredRule,
} from './posture.ts';
import { type JudgedRun, judgedRun, type RunOfRules } from './judged-run.ts';
import { isMapped, RuleBook, selectRules } from './rule-book.ts';
import { findingsOf, type RuleFindings } from './rule-findings.ts';
import { type OutcomeInputs, RuleRunner } from './rule-runner.ts';
import { type RuleAnswers, ScopedRules } from './rules-in-scope.ts';
import { type ScoreHistory, ScoreLog, type ScorePoint, scoresOf } from './score-log.ts';

/** Maximum number of violations of one rule in a request. */
export const VIOLATIONS_MAX = 100_000;
const WAITING_MAX = 8;

export interface PoliciesOptions {
  readonly documents: PolicyDocuments;
  readonly evaluator: RuleEvaluator;
  readonly graph: PolicyGraph;
  readonly log: PolicyLog;
  readonly clock?: Clock;
  /** Time-out of one rule. Default 10 s. */
  readonly ruleTimeoutMs?: number;
  readonly onEvaluated?: OnEvaluated;
}

/** `reused`: the ids of rules whose last outcome was reused. */
type OnEvaluated = (results: readonly RuleResult[], reused: ReadonlySet<string>) => void;

/**
 * Rules, their evaluation, and the stored results. Evaluations run one at a time, each on one snapshot; they
 * resolve once their results are durable. Throws TOO_BUSY if too many wait.
 */
export class Policies implements RuleAnswers {
  readonly rules: RuleBook;
  readonly history: EvaluationHistory;
  /** The findings of all rules, and what is decided about them. */
  readonly register: FindingRegister;
  readonly #documents: PolicyDocuments;
  readonly #log: PolicyLog;
  readonly #clock: Clock;
  readonly #runner: RuleRunner;
  readonly #decisions: FindingDecisions;
  readonly #scoped: ScopedRules;
  readonly #onEvaluated: OnEvaluated | undefined;
  #listener: EvaluationListener | undefined;
  readonly scores = new ScoreLog();
  readonly #findings = new FindingLog();
  readonly #turns = new Turns(WAITING_MAX);
  /** Inputs of each rule's last run, if that depends on the graph alone and ran in this process. */
  readonly #inputs = new Map<string, OutcomeInputs & { readonly evaluationId: string }>();
  readonly #listeners: (() => void)[] = [];

  static async open(options: PoliciesOptions): Promise<Policies> {
    const policies = new Policies(options);
    await policies.#read();
    const readAgain = async (): Promise<void> => {
      await policies.#read();
      policies.#notify();
    };
    for (const prefix of PREFIXES) options.documents.onForeign(NAMESPACE, prefix, readAgain);
    return policies;
  }

  private constructor({ documents, evaluator, graph, log, clock = systemClock, ...rest }: PoliciesOptions) {
    const decisions = new FindingDecisions(documents, clock);
    this.#documents = documents;
    this.#clock = clock;
    this.#log = log;
    this.#onEvaluated = rest.onEvaluated;
    this.#decisions = decisions;
    const runnerFor = (scope?: Scope): RuleRunner =>
      new RuleRunner(evaluator, graph, { timeoutMs: rest.ruleTimeoutMs, scope, decisions });
    this.#runner = runnerFor();
    this.history = new EvaluationHistory(documents, clock, (rule, nowMs) => decisions.markOf(rule, nowMs));
    this.rules = new RuleBook(
      documents,
      (removed) => this.#forget(removed),
      (id) => decisions.documentsOf(id),
    );
    const { rules, history } = this;
    this.register = new FindingRegister({ rules, history, log: this.#findings, decisions, clock });
    this.#scoped = new ScopedRules({ rules, decisions, turns: this.#turns, clock, runnerFor });
    decisions.onChange(() => this.#notify());
  }

  #forget(removed: readonly string[]): void {
    for (const id of removed) {
      this.#findings.forget(id);
      this.#decisions.forget(id);
      this.history.forget(id);
      this.#inputs.delete(id);
    }
    this.#notify();
  }

  async #read(): Promise<void> {
    await this.rules.load(this.#log);
    await this.history.load();
    await this.scores.load(this.#documents);
    await this.#findings.load(this.#documents);
    await this.#decisions.load();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` whenever rules change, or what is decided about their findings. */
  onRulesChanged(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Stores what `listener` has to say about each later evaluation together with it. */
  onEvaluation(listener: EvaluationListener): void {
    this.#listener = listener;
  }

  async evaluate(
    request: EvaluationRequest = {},
    trigger: EvaluationTrigger = 'request',
  ): Promise<Evaluation> {
    const rules = selectRules(
      this.rules.list().map(({ rule }) => rule),
      request,
    );
    return this.#turns.run(() => this.#evaluate(rules, request, trigger));
  }

  /** Evaluates first the rules without a last run, and those without data if the graph has changed since. */
  async posture(framework?: string): Promise<Posture> {
    // A running evaluation, of a first start or another request, may include the missing rules.
    if (this.#unjudged(framework).length > 0) await this.idle();
    // One instant for all: an exception that expires during the evaluation does not leave its rule out.
    const nowMs = this.#clock.nowMs();
    const fresh = this.#unjudged(framework, nowMs);
    if (fresh.length > 0) await this.evaluate({ ruleIds: fresh.map(({ id }) => id) }, 'posture');
    return postureOf(this.#datedRuns(framework, nowMs), framework);
  }

  /** The scores over time, and how current the last of them is. Evaluates nothing. */
  scoreHistory(framework?: string, limit?: number): ScoreHistory & Freshness {
    return { ...this.scores.history(framework, limit), ...datingOf(this.#datedRuns(framework)) };
  }

  /** The answers to a caller for whom only what a scope shows exists. */
  within(scope: Scope | undefined): RuleAnswers {
    return scope === undefined ? this : this.#scoped.within(scope);
  }

  async rated(rules: readonly Rule[]): Promise<readonly RatedRule[]> {
    return rules.map((rule) => {
      const lastRun = this.#datedRun(rule);
      return { ...rule, ...(lastRun && { last_run: lastRun }) };
    });
  }

  #datedRuns(framework: string | undefined, nowMs?: number): readonly ScoredRule[] {
    return this.#mapped(framework).map((rule) => ({ rule, lastRun: this.#datedRun(rule, nowMs) }));
  }

  #datedRun(rule: Rule, nowMs?: number): DatedRun | undefined {
    const run = this.history.lastRun(rule, nowMs);
    if (run === undefined) return undefined;
    const isChanged = this.#hasDataChanged(rule, run) || this.history.isDecidedAnew(rule, nowMs);
    return { ...run, data_changed: isChanged, is_waived: isPassedByDecision({ rule, lastRun: run }) };
  }

  /** Unknown inputs (after a start, or of another node) count as changed if any data has changed. */
  #hasDataChanged(rule: Rule, run: LastRun): boolean {
    const version = this.history.versionOf(run.evaluation_id) ?? -1;
    if (version >= this.#runner.changedVersion) return false;
    const inputs = this.#inputs.get(rule.id);
    return inputs?.evaluationId !== run.evaluation_id || this.#runner.hasChanged(inputs);
  }

  async findings(ruleId: string, limit?: number): Promise<RuleFindings> {
    const { rule } = this.rules.get(ruleId);
    return this.#turns.run(async () => {
      const nowMs = this.#clock.nowMs();
      const { outcomes, snapshotVersion } = await this.#runner.run([rule], { limit }, nowMs);
      const firstSeenMs = (findingId: string): number | undefined => this.firstSeenMs(ruleId, findingId);
      return findingsOf(rule, outcomes.get(ruleId), { nowMs, snapshotVersion, firstSeenMs });
    });
  }

  /** The id that a finding of each rule has for the entity with these fields, by rule id. */
  findingIds(fieldOf: (field: string) => unknown): ReadonlyMap<string, string> {
    return new Map(this.rules.list().map(({ rule }) => [rule.id, entityFindingId(rule, fieldOf)]));
  }

  /** When an evaluation has first seen a finding; undefined for one that none has. */
  firstSeenMs(ruleId: string, findingId: string): number | undefined {
    return this.#findings.firstSeenMs(ruleId, findingId);
  }

  /** Runs `work` on the evaluator while no evaluation is running. Throws TOO_BUSY like one. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#turns.run(work);
  }

  /** Resolves when no evaluation is running. */
  idle(): Promise<void> {
    return this.#turns.idle();
  }

  #unjudged(framework: string | undefined, nowMs?: number): readonly Rule[] {
    const changed = this.#runner.changedVersion;
    return this.#mapped(framework).filter(
      (rule) =>
        rule.enabled &&
        (this.history.isDecidedAnew(rule, nowMs) ||
          !this.#isJudged(this.history.lastRun(rule, nowMs), changed)),
    );
  }

  /** A rule without data counts as judged while the graph has not changed since. */
  #isJudged(run: LastRun | undefined, changedVersion: number): boolean {
    if (run?.status !== 'NoData') return run !== undefined;
    return (this.history.versionOf(run.evaluation_id) ?? -1) >= changedVersion;
  }

  #mapped(framework: string = ALL_FRAMEWORKS): readonly Rule[] {
    const rules = this.rules.list().map(({ rule }) => rule);
    return rules.filter((rule) => isMapped(rule, framework));
  }

  async #evaluate(
    rules: readonly Rule[],
    request: EvaluationRequest,
    trigger: EvaluationTrigger,
  ): Promise<Evaluation> {
    const startMs = this.#clock.monotonicMs();
    const nowMs = this.#clock.nowMs();
    const decided = new Map(rules.map((rule) => [rule.id, this.#decisions.markOf(rule, nowMs)]));
    const { outcomes, reused, snapshotVersion, mark } = await this.#runner.run(rules, request, nowMs);
    const evaluated = rules.map((rule) => ({
      rule,
      outcome: outcomes.get(rule.id),
      isReused: reused.has(rule.id),
    }));
    const durationMs = this.#clock.monotonicMs() - startMs;
    const run = { rules, evaluated, request, trigger, nowMs, snapshotVersion, durationMs, decided };
    const evaluation = await this.#judgedAndStored(run);
    if (request.params === undefined) this.#noteInputs(evaluation.evaluation_id, evaluated, mark);
    this.#onEvaluated?.(evaluation.results, reused);
    return evaluation;
  }

  #noteInputs(evaluationId: string, evaluated: readonly EvaluatedRule[], mark: ChangeMark): void {
    for (const { rule, outcome } of evaluated) {
      const footprint = outcome && outcomeFootprint(rule, outcome);
      if (footprint === undefined) this.#inputs.delete(rule.id);
      else this.#inputs.set(rule.id, { evaluationId, footprint, mark });
    }
  }

  /**
   * An evaluation that cannot be stored counts for posture until a later one is. Its findings are not noted,
   * so that they are still news then.
   */
  async #judgedAndStored(run: RunOfRules): Promise<Evaluation> {
    const documents = this.#documents;
    const log = this.#log;
    const isWhatIf = run.request.params !== undefined;
    try {
      return await documents.exclusively(async () => {
        const judged = this.#judge(run);
        if (isWhatIf) await this.history.add(judged.past, { byRule: new Map(), decided: run.decided }, []);
        else await this.#count(judged, run);
        return judged.evaluation;
      });
    } catch (error) {
      if (!(error instanceof DomainError) || !UNWRITABLE.has(error.code)) throw error;
      const { evaluation, past } = this.#judge(run);
      const byRule = this.#lastRuns(past, run.rules);
      if (!isWhatIf) this.history.keepUnstored(run.snapshotVersion, { byRule, decided: run.decided });
      log.warn({ event: 'policies.not_stored', reason: error.message }, 'evaluation not stored');
      return { ...evaluation, not_stored: error.message };
    }
  }

  /** Compares the outcomes with the previous findings. */
  #judge(run: RunOfRules): JudgedRun {
    const { evaluated, request, nowMs } = run;
    const changes =
      request.params === undefined ? this.#compare(evaluated, nowMs) : new Map<string, FindingChanges>();
    const results = evaluated.map((item) =>
      resultOf(item, (outcome) => this.#findings.seenBy(item.rule.id, outcome, nowMs)),
    );
    return judgedRun(run, results, changes);
  }

  /** Skips rules that were removed meanwhile. */
  #compare(evaluated: readonly EvaluatedRule[], nowMs: number): ReadonlyMap<string, FindingChanges> {
    const changes = new Map<string, FindingChanges>();
    for (const { rule, outcome } of evaluated) {
      if (outcome === undefined || this.rules.find(rule.id) === undefined) continue;
      changes.set(rule.id, this.#findings.compare(rule.id, outcome, nowMs));
    }
    return changes;
  }

  /** Stores an evaluation with the rules' own parameters: it becomes the last run of the rules. */
  async #count({ past: evaluation, changes }: JudgedRun, { rules, decided }: RunOfRules): Promise<void> {
    const lastRuns = this.#lastRuns(evaluation, rules);
    const findings = Array.from(changes.values(), ({ document }) => document);
    const point = this.scores.add(this.#pointOf(evaluation, lastRuns));
    const news = this.#listener?.evaluated(this.#newsOf(evaluation, changes, lastRuns), NAMESPACE);
    const noted = findings.filter((document) => document !== undefined);
    const documents = [...noted, ...point.documents, ...(news?.documents ?? [])];
    await this.history.add(evaluation, { byRule: lastRuns, decided }, documents);
    point.keep();
    for (const { keep } of changes.values()) keep();
    news?.keep();
  }

  /** An error of a rule is news only if its last run had no error. */
  #newsOf(
    { evaluation_id, started_at, results }: PastEvaluation,
    changes: ReadonlyMap<string, FindingChanges>,
    lastRuns: ReadonlyMap<Rule, LastRun>,
  ): EvaluationNews {
    const byId = new Map(results.map((result) => [result.rule_id, result]));
    const rules = Array.from(lastRuns, ([rule, run]) => {
      const { opened = [], resolved = [] } = changes.get(rule.id) ?? {};
      const isNewError = run.status === 'Error' && this.history.storedRun(rule)?.status !== 'Error';
      const error = isNewError ? (byId.get(rule.id)?.error ?? 'unknown') : null;
      return { rule, opened, resolved, error };
    });
    return { evaluation_id, started_at, rules };
  }

  /** The last runs of the evaluated rules that still exist. */
  #lastRuns(
    { evaluation_id: id, started_at: startedAt, results }: PastEvaluation,
    rules: readonly Rule[],
  ): ReadonlyMap<Rule, LastRun> {
    const byId = new Map(results.map((result) => [result.rule_id, result]));
    const lastRuns = new Map<Rule, LastRun>();
    for (const rule of rules) {
      const result = byId.get(rule.id);
      const run = result && lastRunOf(result, id, startedAt);
      if (run !== undefined && this.rules.find(rule.id) !== undefined) lastRuns.set(rule, run);
    }
    return lastRuns;
  }

  #pointOf(
    { evaluation_id, started_at: at, trigger, snapshot_version }: PastEvaluation,
    lastRuns: ReadonlyMap<Rule, LastRun>,
  ): ScorePoint {
    const rules = this.rules.list().map(({ rule }) => rule);
    const scores = scoresOf(rules, this.history.after(lastRuns));
    return { evaluation_id, at, trigger, snapshot_version, ...scores };
  }
}

/** Errors of a store that rejects writes, for now or until a restart. */
const UNWRITABLE: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'NO_DISK_SPACE']);
