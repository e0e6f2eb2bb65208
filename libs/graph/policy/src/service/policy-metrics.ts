import { Injectable } from '@nestjs/common';
import { InjectMetric } from '@willsoto/nestjs-prometheus';
import type { Counter, Histogram } from 'prom-client';
import type { RuleResult } from './evaluation.ts';

export const EVALUATIONS = 'plexus_policy_evaluations_total';
export const RULE_EVALUATIONS = 'plexus_rule_evaluations_total';
export const RULE_RUNS = 'plexus_rule_runs_total';
export const RULE_DURATION = 'plexus_rule_duration_seconds';

/** Metrics of evaluations. */
@Injectable()
export class PolicyMetrics {
  readonly #evaluations: Counter;
  readonly #rules: Counter<'status'>;
  readonly #runs: Counter<'kind'>;
  readonly #duration: Histogram;

  constructor(
    @InjectMetric(EVALUATIONS) evaluations: Counter,
    @InjectMetric(RULE_EVALUATIONS) rules: Counter<'status'>,
    @InjectMetric(RULE_RUNS) runs: Counter<'kind'>,
    @InjectMetric(RULE_DURATION) duration: Histogram,
  ) {
    this.#evaluations = evaluations;
    this.#rules = rules;
    this.#runs = runs;
    this.#duration = duration;
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
