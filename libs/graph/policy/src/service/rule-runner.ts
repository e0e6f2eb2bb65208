import type { ChangeMark } from '#graph/memory';
import type { FindingWaivers, RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import type { Footprint, Scope } from '#graph/model';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import { KeptOutcomes } from './kept-outcomes.ts';
import type { PolicyGraph, RuleEvaluator, SharedGraph } from './policy-ports.ts';

const VIOLATIONS_DEFAULT = 100;
/** Maximum number of shown violations of all rules of an evaluation; the others are only counted. */
const VIOLATIONS_OF_ALL_MAX = 500_000;
const RULE_TIMEOUT_MS = 10_000;
const SCOPED_KEPT_MAX = 20_000;
/** Any write may bring something into a scope or out of it: by its class, a label, or its source. */
const ANY_CHANGE: Footprint = { names: '*', verbs: '*', readsStamps: true };

export interface Decisions {
  /** Those about findings of a rule that are in force at a time. */
  waiversOf(rule: Rule, nowMs: number): FindingWaivers;
}

const NO_DECISIONS: Decisions = { waiversOf: () => [] };

export interface RuleRunnerOptions {
  readonly timeoutMs?: number | undefined;
  /** The part of the graph on which rules are evaluated; undefined: all. */
  readonly scope?: Scope | undefined;
  readonly decisions?: Decisions;
}

/** The outcomes of rules on one snapshot. Disabled rules have none. */
export interface RuleOutcomes {
  readonly outcomes: ReadonlyMap<string, RuleOutcome>;
  /** Ids of rules that were not run, since their last outcome is still valid. */
  readonly reused: ReadonlySet<string>;
  readonly snapshotVersion: number;
  /** The state of the graph at which the outcomes hold. */
  readonly mark: ChangeMark;
}

/** The inputs of an outcome: those of its queries, and the state of the graph. */
export interface OutcomeInputs {
  readonly footprint: Footprint;
  readonly mark: ChangeMark;
}

/**
 * Evaluates rules on the current graph, or on what a scope shows of it. A rule is not run again while no
 * input of its last outcome has changed.
 */
export class RuleRunner {
  readonly #kept: KeptOutcomes;
  readonly #evaluator: RuleEvaluator;
  readonly #graph: PolicyGraph;
  readonly #timeoutMs: number;
  readonly #scope: Scope | undefined;
  readonly #decisions: Decisions;

  constructor(
    evaluator: RuleEvaluator,
    graph: PolicyGraph,
    { timeoutMs = RULE_TIMEOUT_MS, scope, decisions = NO_DECISIONS }: RuleRunnerOptions = {},
  ) {
    this.#kept = scope === undefined ? new KeptOutcomes() : new KeptOutcomes(SCOPED_KEPT_MAX, ANY_CHANGE);
    this.#scope = scope;
    this.#decisions = decisions;
    this.#evaluator = evaluator;
    this.#graph = graph;
    this.#timeoutMs = timeoutMs;
  }

  /** The version of the last change of the graph. */
  get changedVersion(): number {
    return this.#graph.changedVersion;
  }

  /** Whether an outcome with these inputs may be another one now. */
  hasChanged({ footprint, mark }: OutcomeInputs): boolean {
    return this.#graph.changes.hasChanged(footprint, mark);
  }

  async run(
    rules: readonly Rule[],
    { params, limit = VIOLATIONS_DEFAULT }: EvaluationRequest,
    nowMs: number,
  ): Promise<RuleOutcomes> {
    const timeoutMs = this.#timeoutMs;
    const enabled = rules.filter((rule) => rule.enabled);
    const graph = this.#graph.snapshot();
    try {
      const violationsMax = limit === Infinity ? limit : Math.min(limit, shareOf(enabled.length));
      const tasks = enabled.map((rule) => {
        const waivers = this.#decisions.waiversOf(rule, nowMs);
        return { rule, params: params ?? {}, violationsMax, timeoutMs, nowMs, waivers };
      });
      const { snapshotVersion } = graph;
      const kept = params === undefined ? this.#keptOf(tasks) : new Map<string, RuleOutcome>();
      const mark = this.#graph.changes.mark(snapshotVersion);
      const ran = await this.#run(
        tasks.filter(({ rule }) => !kept.has(rule.id)),
        graph,
      );
      if (params === undefined) for (const [task, outcome] of ran) this.#kept.keep(task, outcome, mark);
      const outcomes = new Map(kept);
      for (const [{ rule }, outcome] of ran) outcomes.set(rule.id, outcome);
      return { outcomes, reused: new Set(kept.keys()), snapshotVersion, mark };
    } finally {
      graph.release();
    }
  }

  #keptOf(tasks: readonly RuleTask[]): Map<string, RuleOutcome> {
    const kept = new Map<string, RuleOutcome>();
    for (const task of tasks) {
      const outcome = this.#kept.find(task, this.#graph.changes);
      if (outcome !== undefined) kept.set(task.rule.id, outcome);
    }
    return kept;
  }

  async #run(tasks: readonly RuleTask[], graph: SharedGraph): Promise<Map<RuleTask, RuleOutcome>> {
    const outcomes = tasks.length === 0 ? [] : await this.#evaluator.run(tasks, graph.share(), this.#scope);
    const ran = new Map<RuleTask, RuleOutcome>();
    for (const [index, task] of tasks.entries()) {
      const outcome = outcomes[index];
      if (outcome !== undefined) ran.set(task, outcome);
    }
    return ran;
  }
}

function shareOf(ruleCount: number): number {
  return Math.max(VIOLATIONS_DEFAULT, Math.floor(VIOLATIONS_OF_ALL_MAX / Math.max(1, ruleCount)));
}
