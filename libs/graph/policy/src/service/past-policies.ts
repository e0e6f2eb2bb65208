import type { Moment } from '#graph/engine';
import type { Clock } from '#platform/foundation';
import type { Rule } from '../rule/rule.ts';
import { FINDINGS_MAX, type RuleOutcome } from '../evaluation/outcome.ts';
import type { Evaluation, EvaluationRequest, SeenViolation } from './evaluation.ts';
import { resultOf } from './evaluation-record.ts';
import { type FindingsDiff, findingsDiff, type PastRequest } from './findings-diff.ts';
import { judgedRun } from './judged-run.ts';
import type { Policies } from './policies.ts';
import type { PastGraph, RuleEvaluator } from './policy-ports.ts';
import type { PolicySettings } from './policy-settings.ts';
import { selectRules } from './rule-book.ts';
import { type RuleOutcomes, RuleRunner } from './rule-runner.ts';

const NOT_STORED = 'an evaluation as of an earlier moment changes neither findings nor posture';

/** The rules of today on the graph of earlier moments. Nothing is stored. */
export class PastPolicies {
  readonly #policies: Policies;
  readonly #evaluator: RuleEvaluator;
  readonly #graph: PastGraph;
  readonly #timeoutMs: number;
  readonly #clock: Clock;

  constructor(
    policies: Policies,
    evaluator: RuleEvaluator,
    graph: PastGraph,
    { ruleTimeout }: Pick<PolicySettings, 'ruleTimeout'>,
    clock: Clock,
  ) {
    this.#policies = policies;
    this.#evaluator = evaluator;
    this.#graph = graph;
    this.#timeoutMs = ruleTimeout;
    this.#clock = clock;
  }

  /** Throws the errors of {@link Policies.evaluate}, and those of a moment that cannot be read. */
  async evaluate(request: EvaluationRequest, moment: Moment): Promise<Evaluation> {
    const rules = this.#selected(request);
    const startMs = this.#clock.monotonicMs();
    const nowMs = this.#clock.nowMs();
    const { outcomes, snapshotVersion } = await this.#run(rules, request, moment, nowMs);
    const evaluated = rules.map((rule) => ({ rule, outcome: outcomes.get(rule.id), isReused: false }));
    const results = evaluated.map((item) =>
      resultOf(item, (outcome) => this.#seen(item.rule, outcome, nowMs)),
    );
    const durationMs = this.#clock.monotonicMs() - startMs;
    const run = {
      rules,
      evaluated,
      request,
      trigger: 'request',
      nowMs,
      snapshotVersion,
      durationMs,
    } as const;
    return { ...judgedRun(run, results, new Map()).evaluation, not_stored: NOT_STORED };
  }

  /** What differs from one batch to a later one. */
  async diff(
    { limit, ...selection }: PastRequest,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<FindingsDiff> {
    const rules = this.#selected(selection);
    const nowMs = this.#clock.nowMs();
    const request = { limit: FINDINGS_MAX };
    const before = await this.#run(rules, request, { seq: from }, nowMs);
    const after = await this.#run(rules, request, { seq: to }, nowMs);
    return { from, to, ...findingsDiff(rules, [before.outcomes, after.outcomes], limit) };
  }

  #seen({ id }: Rule, { violations }: RuleOutcome, nowMs: number): readonly SeenViolation[] {
    return violations.map((violation) => {
      const seenMs = this.#policies.firstSeenMs(id, violation.finding_id) ?? nowMs;
      return { ...violation, first_seen: new Date(seenMs).toISOString() };
    });
  }

  #selected(request: EvaluationRequest): readonly Rule[] {
    return selectRules(
      this.#policies.rules.list().map(({ rule }) => rule),
      request,
    );
  }

  #run(
    rules: readonly Rule[],
    request: EvaluationRequest,
    moment: Moment,
    nowMs: number,
  ): Promise<RuleOutcomes> {
    return this.#policies.alone(async () => {
      const snapshot = await this.#graph.history.snapshot(moment);
      const { changes } = this.#graph;
      const graph = { changedVersion: snapshot.snapshotVersion, changes, snapshot: () => snapshot };
      return new RuleRunner(this.#evaluator, graph, this.#timeoutMs).run(rules, request, nowMs);
    });
  }
}
