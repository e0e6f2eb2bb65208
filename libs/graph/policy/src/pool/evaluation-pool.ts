import type { RuleOutcome, RuleTask } from '../evaluation/outcome.ts';
import { EvaluationRound } from './evaluation-round.ts';
import { EvaluationThread } from './evaluation-thread.ts';
import type { EvaluationWorker } from './messages.ts';

export interface EvaluationPoolOptions {
  /** Of an `evaluation-worker`. */
  readonly startWorker: () => EvaluationWorker;
  /** Threads at most; on one core, one. */
  readonly threads: number;
  /** How long after its time-out a rule may still answer. Default 1 s. */
  readonly graceMs?: number;
}

/**
 * Evaluates rules in parallel on threads, all on one shared snapshot. A rule that takes too long, or ends its
 * thread, is an `Error` of it alone. Threads start when they are first needed and are kept.
 */
export class EvaluationPool {
  readonly #threads: readonly EvaluationThread[];

  constructor({ startWorker, threads, graceMs }: EvaluationPoolOptions) {
    this.#threads = Array.from(
      { length: Math.max(1, threads) },
      (_, number) => new EvaluationThread(number, startWorker, graceMs),
    );
  }

  /** Outcomes in the order of the tasks. One run at a time. */
  async run(tasks: readonly RuleTask[], shared: unknown): Promise<readonly RuleOutcome[]> {
    const round = new EvaluationRound(tasks, shared);
    await Promise.all(this.#threads.slice(0, tasks.length).map((thread) => thread.work(round)));
    round.end();
    return round.outcomes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
