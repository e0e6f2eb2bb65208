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
  /** Commits the changes so far, at the next pause; undefined in a transaction of several statements. */
  readonly requestCommit?: (() => void) | undefined;
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
  /** Counts work inside an expression; throws when the statement's time is over or its client is gone. */
  tick(): void;
  /** Counts values that are kept; throws beyond the memory of a statement. */
  hold(values: number): void;
}

/** Measures the steps of a plan, each of which is an object of its own. */
export interface Profile {
  /** The same rows, counted for the step. */
  watch(step: object, rows: Generator<Row | undefined, void>): Generator<Row | undefined, void>;
}

export type Evaluate = (row: Row, run: Run) => Value;

/** A copy of the row with one more value. */
export function extended(row: Row, slot: number, value: Value): Row {
  const copy = row.slice();
  copy[slot] = value;
  return copy;
}
