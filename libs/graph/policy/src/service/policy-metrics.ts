import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { RuleResult } from './evaluation.ts';

const BUCKETS_S = [0.0001, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** Metrics of evaluations. */
export class PolicyMetrics {
  readonly #evaluations: Counter;
  readonly #rules: Counter<'status'>;
  readonly #runs: Counter<'kind'>;
  readonly #duration: Histogram;
  readonly #registers: Registry[];

  constructor(registry: Registry) {
    const registers = [registry];
    this.#evaluations = new Counter({
      name: 'plexus_policy_evaluations_total',
      help: 'evaluations of any number of rules',
      registers,
    });
    this.#rules = new Counter({
      name: 'plexus_rule_evaluations_total',
      help: 'rules evaluated, by outcome',
      labelNames: ['status'],
      registers,
    });
    this.#runs = new Counter({
      name: 'plexus_rule_runs_total',
      help: 'rules evaluated, by kind: run, or last result reused because no input changed',
      labelNames: ['kind'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'plexus_rule_duration_seconds',
      help: 'duration of the evaluation of a rule',
      buckets: BUCKETS_S,
      registers,
    });
    this.#registers = registers;
  }

  /** Exposes the number of rules. */
  countRules(ruleCount: () => number): void {
    const collect = function (this: Gauge): void {
      this.set(ruleCount());
    };
    const help = 'rules of files and of the API';
    new Gauge({ name: 'plexus_rules', help, registers: this.#registers, collect });
  }

  readonly evaluated = (results: readonly RuleResult[], reused: ReadonlySet<string>): void => {
    this.#evaluations.inc();
    for (const { rule_id: id, status, duration_ms: ms } of results) {
      this.#rules.inc({ status: status === 'NoData' ? 'no_data' : status.toLowerCase() });
      if (status === 'Skipped') continue;
      this.#runs.inc({ kind: reused.has(id) ? 'reused' : 'run' });
      if (!reused.has(id)) this.#duration.observe(ms / 1_000);
    }
  };
}
