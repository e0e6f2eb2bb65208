/**
 * The order of side effects: a clause that changes the graph first takes all rows that come before it, so
 * that what reads them does not see its changes; and it has changed everything before the first row leaves.
 */
import type { Rows } from '../expression/subqueries.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import { type Evaluation, type Pausing, type Row, type Run, valuesInSteps } from '../graph/run.ts';
import { type Stage } from '../stage/stage.ts';
import { runtimeFault } from '../syntax/fault.ts';
import type { Value } from '../value/value.ts';

/** One change of the graph for a row, by values that are evaluated just before it. */
export interface Change<R extends Row = Row> {
  readonly values: readonly Evaluation[];
  readonly apply: (row: R, values: readonly Value[], run: Run, writer: GraphWriter) => void;
}

/** More changes for one row are long work. */
const CHANGES_AT_ONCE = 64;

/** Makes changes one after another; with pauses, if it returns them, where they are long work. */
export type ApplyChanges<R extends Row = Row> = (
  row: R,
  run: Run,
  writer: GraphWriter,
) => Pausing<void> | undefined;

export function inOrder<R extends Row>(changes: readonly Change<R>[]): ApplyChanges<R> {
  const isLong = changes.some(({ values }) => values.some(({ inSteps }) => inSteps !== undefined));
  if (isLong || changes.length > CHANGES_AT_ONCE) {
    return function* (row, run, writer) {
      for (const { values, apply } of changes) {
        apply(row, yield* valuesInSteps(values, row, run), run, writer);
        if (run.isPauseDue()) yield undefined;
      }
    };
  }
  return (row, run, writer) => {
    for (const { values, apply } of changes) {
      apply(
        row,
        values.map(({ evaluate }) => evaluate(row, run)),
        run,
        writer,
      );
    }
    return undefined;
  };
}

/** Makes the changes for each row. */
export function updated(changes: readonly Change[]): Stage {
  const apply = inOrder(changes);
  return updatedInSteps(function* (row, run, writer) {
    const pauses = apply(row, run, writer);
    if (pauses !== undefined) yield* pauses;
    yield row;
  });
}

/** Changes that make rows of a row: undefined among them offers a pause. */
export function updatedInSteps(change: (row: Row, run: Run, writer: GraphWriter) => Rows): Stage {
  return wholly((input, run) => changed(input, run, change));
}

function* changed(input: Rows, run: Run, change: (row: Row, run: Run, writer: GraphWriter) => Rows): Rows {
  const { writer } = run;
  if (writer === undefined) throw readOnlyFault();
  for (const row of input) {
    if (row === undefined) {
      yield undefined;
      continue;
    }
    const { made } = run;
    yield* change(row, run, writer);
    run.drop(made);
  }
}

/** A stage that takes all of its input before it begins, and ends before its first row leaves. */
export function wholly(stage: Stage): Stage {
  return function* (input, run) {
    const rows = yield* allOf(input, run);
    const results = yield* allOf(stage(listed(rows), run), run);
    yield* results;
  };
}

function* allOf(rows: Rows, run: Run): Generator<undefined, readonly Row[]> {
  const all: Row[] = [];
  for (const row of rows) {
    if (row !== undefined) {
      all.push(row);
      run.keep(row);
    }
    if (row === undefined || run.isPauseDue()) yield undefined;
  }
  return all;
}

function* listed(rows: readonly Row[]): Rows {
  yield* rows;
}

function readOnlyFault(): Error {
  return runtimeFault(
    'NotSupported',
    'Neo.ClientError.Statement.AccessMode',
    'a statement that writes needs a transaction for writing',
  );
}
