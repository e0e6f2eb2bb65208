import type { Scope } from '#graph/model';
import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import { EvaluationRound } from './evaluation-round.ts';
import { EvaluationThread } from './evaluation-thread.ts';
import type { EvaluationWorker } from './evaluation-order.ts';

export interface EvaluationPoolOptions {
  /** Starts an `evaluation-worker`. */
  readonly startWorker: () => EvaluationWorker;
  /** Maximum number of threads; 1 on one core. */
  readonly threads: number;
  /** Grace period after the time-out of a rule. Default 1 s. */
  readonly graceMs?: number;
}

/** Bound of the durations kept; those of removed rules are not removed one by one. */
const REMEMBERED_MAX = 10_000;

/**
 * Evaluates rules in parallel on threads, all on one shared snapshot. A rule that exceeds its time-out, or
 * ends its thread, is an `Error` of that rule only. Threads are started on first use and kept.
 */
export class EvaluationPool {
  readonly #threads: readonly EvaluationThread[];
  /** Duration of the last run of each rule. */
  readonly #lastMs = new Map<string, number>();

  constructor({ startWorker, threads, graceMs }: EvaluationPoolOptions) {
    this.#threads = Array.from(
      { length: Math.max(1, threads) },
      (_, number) => new EvaluationThread(number, startWorker, graceMs),
    );
  }

  /** Returns outcomes in the order of the tasks, in what a scope shows of the graph. One run at a time. */
  async run(tasks: readonly RuleTask[], shared: unknown, scope?: Scope): Promise<readonly RuleOutcome[]> {
    const round = new EvaluationRound(tasks, shared, this.#lastMs, scope);
    await Promise.all(this.#threads.slice(0, tasks.length).map((thread) => thread.work(round)));
    round.end();
    const { outcomes } = round;
    this.#remember(tasks, outcomes);
    return outcomes;
  }

  #remember(tasks: readonly RuleTask[], outcomes: readonly RuleOutcome[]): void {
    if (this.#lastMs.size > REMEMBERED_MAX) this.#lastMs.clear();
    for (const [at, { durationMs }] of outcomes.entries()) {
      const id = tasks[at]?.rule.id;
      if (id !== undefined) this.#lastMs.set(id, durationMs);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
