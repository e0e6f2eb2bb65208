import type { ScheduledQuery } from '#graph/execution';
import { type Clock, DomainError } from '#platform/foundation';
import type { Rows } from '../expression/subqueries.ts';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import type { Value } from '../value/value.ts';
import { resultRow } from './result-row.ts';
import type { StatementRun } from './statement-run.ts';
import type { StatementResult, StatementSummary } from './transaction.port.ts';

/** When a statement has to be at its end; its time does not run while its client reads. */
export interface StatementTime {
  deadlineMs: number;
}

export interface StreamParts {
  readonly columns: readonly string[];
  readonly slots: readonly number[];
  readonly graph: PropertyGraph;
  readonly summary: StatementSummary;
  readonly run: StatementRun;
  readonly turns: ScheduledQuery;
  readonly time: StatementTime;
  /** No later than the transaction ends. */
  readonly endsMs: number;
  readonly clock: Clock;
  readonly start: () => Rows;
  /** Throws what a transaction that has ended says. */
  readonly requireOpen: () => void;
  /** Called once, at the end, with the error if there was one. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * The rows of a statement that reads, made as they are taken. Between two portions it has no place among the
 * running statements. Where its memory is needed it begins anew, and drops as many rows as it has handed out:
 * over the same snapshot they are the same.
 */
export class StreamedResult implements StatementResult {
  readonly #parts: StreamParts;
  #rows: Rows | undefined;
  /** Taken from the stages since the start, also those that are dropped again. */
  #made = 0;
  #toDrop = 0;
  /** One row ahead of what was taken, so that the end is known. */
  #ahead: readonly Value[] | undefined;
  #restedMs: number;
  #hasEnded = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
    this.#restedMs = parts.clock.monotonicMs();
    parts.turns.rest(() => undefined, 0);
  }

  get columns(): readonly string[] {
    return this.#parts.columns;
  }

  get graph(): PropertyGraph {
    return this.#parts.graph;
  }

  get summary(): StatementSummary {
    return this.#parts.summary;
  }

  get hasMore(): boolean {
    return !this.#hasEnded || this.#ahead !== undefined;
  }

  async take(count: number): Promise<readonly (readonly Value[])[]> {
    const taken = this.#ahead === undefined ? [] : [this.#ahead];
    this.#ahead = undefined;
    if (this.#hasEnded) return taken;
    try {
      const rest = this.#fill(taken, count + 1);
      if (rest !== undefined) await rest;
    } catch (error) {
      this.#end(error);
      throw error;
    }
    if (taken.length > count) this.#ahead = taken.pop();
    return taken;
  }

  close(): void {
    this.#ahead = undefined;
    this.#end();
  }

  /** Undefined where the first slice was enough, and had not to be waited for. */
  #fill(taken: (readonly Value[])[], count: number): Promise<void> | undefined {
    const { run, turns } = this.#parts;
    this.#wake();
    const wait = turns.resume(() => this.#setAside(), run.heldBytes);
    return wait === undefined && this.#slice(taken, count)
      ? undefined
      : this.#fillInTurns(taken, count, wait);
  }

  async #fillInTurns(
    taken: (readonly Value[])[],
    count: number,
    wait: Promise<void> | undefined,
  ): Promise<void> {
    const { run, turns } = this.#parts;
    await (wait ?? turns.next(() => this.#setAside(), run.heldBytes));
    while (!this.#slice(taken, count)) await turns.next(() => this.#setAside(), run.heldBytes);
  }

  /** Whether it has taken enough, or the last row. */
  #slice(taken: (readonly Value[])[], count: number): boolean {
    const { run, slots, requireOpen, start } = this.#parts;
    if (this.#hasEnded) requireOpen();
    const state = run.takeSlice((this.#rows ??= start()), (row) => {
      this.#made++;
      if (this.#toDrop > 0) this.#toDrop--;
      else taken.push(resultRow(row, slots));
      return taken.length < count;
    });
    if (state === 'end') this.#end();
    else if (state === 'enough' && !this.#hasEnded) this.#rest();
    return state !== 'time';
  }

  /** The time of rest is added to the statement's own, up to the end of the transaction. */
  #wake(): void {
    const { time, endsMs, clock } = this.#parts;
    time.deadlineMs = Math.min(endsMs, time.deadlineMs + clock.monotonicMs() - this.#restedMs);
  }

  #rest(): void {
    const { run, turns, clock } = this.#parts;
    this.#restedMs = clock.monotonicMs();
    turns.rest(() => this.#setAside(), run.heldBytes);
  }

  #setAside(): void {
    const { run } = this.#parts;
    if (this.#rows === undefined) return;
    if (this.#made > 0 && !run.isRepeatable) {
      throw new DomainError(
        'TOO_BUSY',
        'a statement whose rows vary had to give way to others: try again soon',
      );
    }
    this.#rows = undefined;
    // What had to be dropped again and was not yet is among those that were made before.
    this.#toDrop += this.#made;
    this.#made = 0;
    run.forget();
  }

  #end(error?: unknown): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#rows = undefined;
    this.#parts.turns.leave();
    this.#parts.onEnd(error);
  }
}
