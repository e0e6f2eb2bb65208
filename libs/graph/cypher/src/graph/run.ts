import type { GraphWriter } from './graph-writer.port.ts';
import type { PropertyGraph } from './property-graph.port.ts';
import type { SchemaPort } from './schema.port.ts';
import type { Value } from '../value/value.ts';

/** The values of the variables of a statement, by slot. Not changed once it was passed on. */
export type Row = readonly Value[];

/** What evaluation reads beside the row. */
export interface Run {
  readonly graph: PropertyGraph;
  /** Undefined where a statement may only read. */
  readonly writer?: GraphWriter | undefined;
  /**
   * Commits the changes so far, at the next pause; undefined in a transaction of several statements. Without
   * `onFailure` a commit that fails ends the statement.
   */
  readonly requestCommit?: ((onFailure?: (error: unknown) => void) => void) | undefined;
  readonly schema: SchemaPort;
  readonly parameters: ReadonlyMap<string, Value>;
  /** Measures the steps; set for a statement after PROFILE. */
  readonly profile?: Profile | undefined;
  /** Time of the statement: all of its functions of time return the same. */
  readonly nowMs: number;
  /** When the transaction began; undefined where the statement is one of its own. */
  readonly transactionMs?: number | undefined;
  /** The clock now. */
  realtimeMs(): number;
  /** Says that what is evaluated has another value each time. */
  varies(): void;
  /** From 0 to below 1. */
  random(): number;
  /** Counts work, by default a step; throws when the statement's time is over or its client is gone. */
  tick(steps?: number): void;
  /** Counts a row or an element that is passed over; true where others should have a turn. */
  isPauseDue(): boolean;
  /** Counts values that are kept to the end; throws beyond the memory of a statement. */
  hold(values: number): void;
  /** The same for values with all that is in them; what was kept before is not counted again. */
  keep(values: readonly (Value | undefined)[]): void;
  /** Counts values that are made for one row, and the work of making them; throws as `hold` does. */
  make(values: number): void;
  /** What is made at this moment: a step passes it to `drop` when it has done with its row. */
  readonly made: number;
  drop(made: number): void;
}

/** Measures the steps of a plan, each of which is an object of its own. */
export interface Profile {
  /** The same rows, counted for the step. */
  watch(step: object, rows: Generator<Row | undefined, void>): Generator<Row | undefined, void>;
  /** The working step searches the snapshot itself: its reads are not known. */
  uncounted(): void;
}

export type Evaluate = (row: Row, run: Run) => Value;

/** Work that offers pauses. */
export type Pausing<T> = Generator<undefined, T, undefined>;

/** An expression as stages evaluate it. */
export interface Evaluation {
  readonly evaluate: Evaluate;
  /** The same with pauses; undefined where the work is short. */
  readonly inSteps?: ((row: Row, run: Run) => Pausing<Value>) | undefined;
}

/** The values of some expressions for a row. */
export function* valuesInSteps(
  evaluations: readonly Evaluation[],
  row: Row,
  run: Run,
): Pausing<readonly Value[]> {
  const values: Value[] = [];
  for (const { evaluate, inSteps } of evaluations) {
    values.push(inSteps === undefined ? evaluate(row, run) : yield* inSteps(row, run));
  }
  return values;
}

/** A copy of the row with the values of these slots alone. */
export function narrowed(row: Row, slots: readonly number[]): Row {
  const copy: Value[] = [];
  for (const slot of slots) copy[slot] = row[slot] ?? null;
  return copy;
}

/** A copy of the row with one more value. */
export function extended(row: Row, slot: number, value: Value): Row {
  const copy = row.slice();
  copy[slot] = value;
  return copy;
}
