import type { ScheduledQuery } from '#graph/execution';
import { type Clock, DomainError } from '#platform/foundation';
import type { Rows } from '../expression/subqueries.ts';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import type { Value } from '../value/value.ts';
import { resultRow } from './result-row.ts';
import type { RunLimits, StatementRun } from './statement-run.ts';
import type { StatementResult, StatementSummary } from './transaction.port.ts';

/** When a statement has to be at its end; its time does not run while its client reads. */
export interface StatementTime {
  deadlineMs: number;
}

/** A statement that runs. */
export interface BegunStream {
  readonly graph: PropertyGraph;
  readonly summary: StatementSummary;
  readonly run: StatementRun;
  readonly limits: RunLimits & StatementTime;
}

export interface StreamParts {
  readonly columns: readonly string[];
  readonly slots: readonly number[];
  /** No later than the transaction ends. */
  readonly endsMs: number;
  readonly clock: Clock;
  /** Called when the first rows are asked for, or none at all: nothing is held before. */
  readonly begin: () => BegunStream;
  /** Takes a place among the running statements. */
  readonly admit: (limits: RunLimits) => ScheduledQuery;
  readonly start: (run: StatementRun) => Rows;
  /** Throws what a transaction that has ended says. */
  readonly requireOpen: () => void;
  /** Called whenever rows are left that the client has not asked for. */
  readonly onRest: () => void;
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
  #begun: BegunStream | undefined;
  #turns: ScheduledQuery | undefined;
  #rows: Rows | undefined;
  /** Taken from the stages since the start, also those that are dropped again. */
  #made = 0;
  #toDrop = 0;
  /** One row ahead of what was taken, so that the end is known. */
  #ahead: readonly Value[] | undefined;
  /** Since when it rests, or has rested last. */
  #restedMs: number | undefined;
  #hasEnded = false;

  constructor(parts: StreamParts) {
    this.#parts = parts;
  }

  get columns(): readonly string[] {
    return this.#parts.columns;
  }

  get graph(): PropertyGraph {
    return this.#running.graph;
  }

  get summary(): StatementSummary {
    return this.#running.summary;
  }

  get #running(): BegunStream {
    return (this.#begun ??= this.#parts.begin());
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
    // Its summary is that of a statement that has run.
    if (!this.#hasEnded) this.#begun ??= this.#parts.begin();
    this.end();
  }

  /** The same at the end of the transaction, after which nothing begins. */
  end(): void {
    this.#ahead = undefined;
    this.#end();
  }

  /** Undefined where the first slice was enough, and had not to be waited for. */
  #fill(taken: (readonly Value[])[], count: number): Promise<void> | undefined {
    const begun = this.#running;
    const turns = (this.#turns ??= this.#parts.admit(begun.limits));
    const wait = this.#restedMs === undefined ? turns.begin() : this.#resume(begun, turns, this.#restedMs);
    if (wait === undefined && this.#slice(begun, taken, count)) return undefined;
    const next = (): Promise<void> => turns.next(() => this.#setAside(begun), begun.run.heldBytes);
    return this.#fillInTurns(wait ?? next(), next, () => this.#slice(begun, taken, count));
  }

  async #fillInTurns(wait: Promise<void>, next: () => Promise<void>, slice: () => boolean): Promise<void> {
    await wait;
    while (!slice()) await next();
  }

  /** Whether it has taken enough, or the last row. */
  #slice(begun: BegunStream, taken: (readonly Value[])[], count: number): boolean {
    const { slots, requireOpen, start } = this.#parts;
    if (this.#hasEnded) requireOpen();
    const { run } = begun;
    const state = run.takeSlice((this.#rows ??= start(run)), (row) => {
      this.#made++;
      if (this.#toDrop > 0) this.#toDrop--;
      else taken.push(resultRow(row, slots));
      return taken.length < count;
    });
    if (state === 'end') this.#end();
    else if (state === 'enough' && !this.#hasEnded) this.#rest(begun);
    return state !== 'time';
  }

  /** The time of rest is added to the statement's own, up to the end of the transaction. */
  #resume(begun: BegunStream, turns: ScheduledQuery, restedMs: number): Promise<void> | undefined {
    const { endsMs, clock } = this.#parts;
    const { run, limits } = begun;
    limits.deadlineMs = Math.min(endsMs, limits.deadlineMs + clock.monotonicMs() - restedMs);
    return turns.resume(() => this.#setAside(begun), run.heldBytes);
  }

  #rest(begun: BegunStream): void {
    const { clock, onRest } = this.#parts;
    this.#restedMs = clock.monotonicMs();
    this.#turns?.rest(() => this.#setAside(begun), begun.run.heldBytes);
    onRest();
  }

  #setAside({ run }: BegunStream): void {
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
    this.#turns?.leave();
    this.#parts.onEnd(error);
  }
}
