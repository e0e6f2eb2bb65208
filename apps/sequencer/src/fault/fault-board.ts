import type { Log } from '#platform/observability';
import type { FaultName, FaultPlan } from './fault-plan.ts';

/** Counts what faults count, says when one is due, and tells the log of each that was committed. */
export class FaultBoard {
  readonly #plan: FaultPlan;
  readonly #log: Log;
  readonly #counts = new Map<FaultName, number>();

  constructor(plan: FaultPlan, log: Log) {
    this.#plan = plan;
    this.#log = log;
  }

  /** The number that a fault was given; undefined when it is not wanted. */
  valueOf(name: FaultName): number | undefined {
    return this.#plan[name];
  }

  /** Counts one more; true for each n-th, n being the number that the fault was given. */
  isDue(name: FaultName): boolean {
    const every = this.#plan[name];
    if (every === undefined) return false;
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count % every === 0;
  }

  /** Tells of a fault that was committed, with what a test needs to find it again. */
  report(name: FaultName, facts: Readonly<Record<string, unknown>>): void {
    this.#log.info({ event: 'sequencer.fault', fault: name, ...facts }, 'committed a fault');
  }
}
