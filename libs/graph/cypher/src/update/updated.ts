/**
 * The order of side effects: a clause that changes the graph first takes all rows that come before it, so
 * that what reads them does not see its changes; and it has changed everything before the first row leaves.
 */
import type { Rows } from '../expression/subqueries.ts';
import type { GraphWriter } from '../graph/graph-writer.port.ts';
import { type Row, type Run } from '../graph/run.ts';
import { type Stage } from '../stage/stage.ts';
import { runtimeFault } from '../syntax/fault.ts';

/** Changes the graph for each row, which becomes another one. */
export function updated(change: (row: Row, run: Run, writer: GraphWriter) => Row): Stage {
  return updatedInSteps(function* (row, run, writer) {
    yield change(row, run, writer);
  });
}

/** The same for changes that read: undefined among their rows offers a pause. */
export function updatedInSteps(change: (row: Row, run: Run, writer: GraphWriter) => Rows): Stage {
  return wholly((input, run) => changed(input, run, change));
}

function* changed(input: Rows, run: Run, change: (row: Row, run: Run, writer: GraphWriter) => Rows): Rows {
  const { writer } = run;
  if (writer === undefined) throw readOnlyFault();
  for (const row of input) {
    if (row === undefined) yield undefined;
    else yield* change(row, run, writer);
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
