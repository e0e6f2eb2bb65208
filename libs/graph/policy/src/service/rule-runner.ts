import type { RuleOutcome } from '../evaluation/outcome.ts';
import type { Rule } from '../rule/rule.ts';
import type { EvaluationRequest } from './evaluation.ts';
import type { PolicyGraph, RuleEvaluator } from './policy-ports.ts';

const VIOLATIONS_DEFAULT = 100;
/** All rules of an evaluation share so many shown violations; what is not shown is counted. */
const VIOLATIONS_OF_ALL_MAX = 500_000;
const RULE_TIMEOUT_MS = 10_000;

/** What rules came to on one snapshot. Those that are not enabled have no outcome. */
export interface RuleOutcomes {
  readonly outcomes: ReadonlyMap<string, RuleOutcome>;
  readonly snapshotVersion: number;
}

/** Evaluates rules on the graph as it is, and remembers nothing. */
export class RuleRunner {
  readonly #evaluator: RuleEvaluator;
  readonly #graph: PolicyGraph;
  readonly #timeoutMs: number;

  constructor(evaluator: RuleEvaluator, graph: PolicyGraph, timeoutMs = RULE_TIMEOUT_MS) {
    this.#evaluator = evaluator;
    this.#graph = graph;
    this.#timeoutMs = timeoutMs;
  }

  /** At which version the graph last changed. */
  get changedVersion(): number {
    return this.#graph.changedVersion;
  }

  async run(
    rules: readonly Rule[],
    { params = {}, limit = VIOLATIONS_DEFAULT }: EvaluationRequest,
    nowMs: number,
  ): Promise<RuleOutcomes> {
    const timeoutMs = this.#timeoutMs;
    const enabled = rules.filter((rule) => rule.enabled);
    const graph = this.#graph.snapshot();
    try {
      const violationsMax = limit === Infinity ? limit : Math.min(limit, shareOf(enabled.length));
      const tasks = enabled.map((rule) => ({ rule, params, violationsMax, timeoutMs, nowMs }));
      const outcomes = enabled.length === 0 ? [] : await this.#evaluator.run(tasks, graph.share());
      const byId = enabled.flatMap(({ id }, index) => {
        const outcome = outcomes[index];
        return outcome === undefined ? [] : [[id, outcome] as const];
      });
      return { outcomes: new Map(byId), snapshotVersion: graph.snapshotVersion };
    } finally {
      graph.release();
    }
  }
}

function shareOf(ruleCount: number): number {
  return Math.max(VIOLATIONS_DEFAULT, Math.floor(VIOLATIONS_OF_ALL_MAX / Math.max(1, ruleCount)));
}
