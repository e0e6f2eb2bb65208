/** One running statement: its limits, and its rows in slices. */
import { type ExecutionTurns, SLICE_MS } from '#graph/execution';
import { type Clock, DomainError, type HangUp } from '#platform/foundation';
import type { Row, Run } from '../graph/run.ts';
import type { Rows } from '../expression/subqueries.ts';
import { CountedGraph } from '../graph/counted-graph.ts';
import type { StatementProfile } from './statement-profile.ts';
import type { PropertyGraph } from '../graph/property-graph.port.ts';
import type { SchemaPort } from '../graph/schema.port.ts';
import type { TransactionGraph } from '../overlay/transaction-graph.ts';
import { takeLookedAt } from '../value/looked-at.ts';
import { isList, isMap, PathValue, textSize, type Value } from '../value/value.ts';

/** Approximate memory of a value that a statement keeps: a slot, and a small object. */
const BYTES_PER_VALUE = 40;
/** Looks at the clock are not free: there is one in so many steps. */
const STEPS_PER_LOOK = 512;
const STEPS_PER_PAUSE = 256;
/** Units of a statement's text whose evaluation for a row takes the time of a step. */
const TEXT_PER_STEP = 1_024;
/** Parts of a list that are copied in the time of a step. */
const VALUES_PER_STEP = 64;
/** Parts of lists and maps that are looked at in the time of a step. */
const PARTS_PER_STEP = 16;
/** After a look at so many the clock is looked at. */
const PARTS_PER_LOOK = 4_096;

export interface RunLimits {
  readonly clock: Clock;
  /** In the clock's monotonic time. */
  readonly deadlineMs: number;
  readonly timeoutMs: number;
  readonly signal: HangUp;
  readonly memoryMax: number;
  /** Of the statement, in UTF-16 units: the work for each row may be as long. Default: short. */
  readonly textLength?: number | undefined;
  readonly profile?: StatementProfile | undefined;
}

/** What a statement reads. */
export interface RunGround {
  readonly graph: PropertyGraph;
  readonly schema: SchemaPort;
}

/** What a statement that writes has beside one that reads. */
export interface RunWriting {
  readonly graph: TransactionGraph;
  /** Undefined in a transaction of several statements. */
  readonly commit: (() => Promise<void>) | undefined;
}

export class StatementRun implements Run {
  readonly graph: PropertyGraph;
  readonly schema: SchemaPort;
  readonly writer: TransactionGraph | undefined;
  readonly requestCommit: Run['requestCommit'];
  readonly parameters: ReadonlyMap<string, Value>;
  readonly profile: StatementProfile | undefined;
  readonly nowMs: number;
  readonly #limits: RunLimits;
  readonly #commit: RunWriting['commit'];
  readonly #stepsPerRow: number;
  #isCommitWanted = false;
  #onFailure: ((error: unknown) => void) | undefined;
  #sinceLook = 0;
  #sincePause = 0;
  /** Whether there was a pause for others since the last look at the clock. */
  #hasWorked = false;
  #heldValues = 0;
  #madeValues = 0;
  /** Made when the first object is kept: most statements keep none. */
  #kept: WeakSet<object> | undefined;
  #isRepeatable = true;

  constructor(
    { graph, schema }: RunGround,
    parameters: ReadonlyMap<string, Value>,
    limits: RunLimits,
    writing?: RunWriting,
  ) {
    const { profile, textLength = 0 } = limits;
    this.profile = profile;
    this.#stepsPerRow = 1 + textLength / TEXT_PER_STEP;
    this.graph =
      profile === undefined
        ? graph
        : new CountedGraph(graph, () => {
            profile.hit();
          });
    this.schema = schema;
    this.writer = writing?.graph;
    this.#commit = writing?.commit;
    this.requestCommit =
      writing?.commit &&
      ((onFailure) => {
        this.#isCommitWanted = true;
        this.#onFailure = onFailure;
      });
    this.parameters = parameters;
    this.nowMs = limits.clock.nowMs();
    this.#limits = limits;
  }

  get heldBytes(): number {
    return (this.#heldValues + (this.writer?.heldValues ?? 0)) * BYTES_PER_VALUE;
  }

  /** Whether another run over the same graph has the same rows. */
  get isRepeatable(): boolean {
    return this.#isRepeatable;
  }

  varies(): void {
    this.#isRepeatable = false;
  }

  realtimeMs(): number {
    this.varies();
    return this.#limits.clock.nowMs();
  }

  random(): number {
    this.varies();
    return Math.random();
  }

  tick(steps = 1): void {
    this.#sincePause += steps;
    this.#sinceLook += steps;
    if (this.#sinceLook < STEPS_PER_LOOK) return;
    this.#sinceLook = 0;
    this.check();
  }

  isPauseDue(): boolean {
    this.#countLookedAt();
    this.#sincePause += this.#stepsPerRow;
    if (this.#sincePause < STEPS_PER_PAUSE) return false;
    this.#sincePause = 0;
    this.#hasWorked = true;
    return true;
  }

  /** Looks at the parts of lists and maps count when they are done. */
  #countLookedAt(): void {
    const parts = takeLookedAt();
    if (parts === 0) return;
    this.tick(parts / PARTS_PER_STEP);
    if (parts > PARTS_PER_LOOK) this.#hasWorked = true;
  }

  hold(values: number): void {
    this.#heldValues += values;
    this.#refuseTooMuch();
  }

  keep(values: readonly (Value | undefined)[]): void {
    const waiting = [values];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      this.hold(next.length);
      for (const value of next) {
        if (typeof value === 'string') this.#heldValues += textSize(value);
        if (typeof value !== 'object' || value === null || this.#kept?.has(value) === true) continue;
        (this.#kept ??= new WeakSet()).add(value);
        if (isList(value)) waiting.push(value);
        else if (isMap(value)) waiting.push([...value.values()]);
        else if (value instanceof PathValue) waiting.push(value.nodes, value.links);
      }
    }
  }

  get made(): number {
    return this.#madeValues;
  }

  make(values: number): void {
    this.#madeValues += values;
    this.tick(values / VALUES_PER_STEP);
    this.#refuseTooMuch();
  }

  drop(made: number): void {
    this.#madeValues = made;
  }

  #refuseTooMuch(): void {
    const { memoryMax } = this.#limits;
    if (this.heldBytes + this.#madeValues * BYTES_PER_VALUE <= memoryMax) return;
    throw new DomainError(
      'QUERY_TOO_LARGE',
      `expected intermediate results of at most ${Math.round(memoryMax / 1_048_576)} MiB: use LIMIT, or a narrower pattern`,
      { details: { limit: memoryMax } },
    );
  }

  /** Throws when the time is over or the client has gone; returns the monotonic time. */
  check(): number {
    const { clock, deadlineMs, timeoutMs, signal } = this.#limits;
    if (signal.aborted)
      throw new DomainError('QUERY_TIMEOUT', 'statement stopped: the client has disconnected');
    const nowMs = clock.monotonicMs();
    if (nowMs <= deadlineMs) return nowMs;
    throw new DomainError('QUERY_TIMEOUT', `statement stopped after ${String(Math.round(timeoutMs))} ms`, {
      details: { timeout_ms: Math.round(timeoutMs) },
    });
  }

  /** What was kept so far is kept no longer: the rows are taken from the start. */
  forget(): void {
    this.#heldValues = 0;
    this.#madeValues = 0;
    this.#kept = undefined;
  }

  /** Takes rows for a slice of time; resolves with what ended it. */
  takeSlice(rows: Rows, take: (row: Row) => boolean): 'end' | 'enough' | 'time' {
    const { clock } = this.#limits;
    const sliceEndMs = this.check() + SLICE_MS;
    for (let count = 1; ; count++) {
      const { value, done } = nextOf(rows);
      if (done === true) return 'end';
      this.#countLookedAt();
      if (value !== undefined && !take(value)) return 'enough';
      const isLookDue = count % ROWS_PER_LOOK === 0 || this.#hasWorked;
      this.#hasWorked = false;
      if (this.#isCommitWanted || (isLookDue && clock.monotonicMs() >= sliceEndMs)) return 'time';
    }
  }

  /**
   * Takes the rows of `start()` to its end; other work runs between slices. Where the scheduler asks for the
   * memory, the rows are taken again from the start: nothing has been handed out before the end. A statement
   * that writes keeps what it has changed.
   */
  async takeAll(
    start: () => Rows,
    turns: ExecutionTurns,
    take: (row: Row) => void,
    reset: () => void,
  ): Promise<void> {
    let rows = start();
    const takeOn = (row: Row): boolean => {
      take(row);
      return true;
    };
    for (;;) {
      if (this.takeSlice(rows, takeOn) === 'end') return;
      if (this.#isCommitWanted) await this.#commitNow();
      await turns.next(() => {
        if (this.writer !== undefined) return;
        this.forget();
        reset();
        rows = start();
      }, this.heldBytes);
    }
  }

  async #commitNow(): Promise<void> {
    this.#isCommitWanted = false;
    try {
      await this.#commit?.();
    } catch (error) {
      if (this.#onFailure === undefined) throw error;
      this.#onFailure(error);
    }
  }
}

const ROWS_PER_LOOK = 16;

/** A value that is nested deeper, or longer, than JavaScript can follow is a result that is too large. */
function nextOf(rows: Rows): IteratorResult<Row | undefined, void> {
  try {
    return rows.next();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DomainError('QUERY_TOO_LARGE', 'a value of the statement is too long, or nested too deeply');
  }
}
