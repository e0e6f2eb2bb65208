import type { Steps } from '#platform/foundation';
import type { Row, Run } from '../graph/run.ts';
import type { Rows } from '../expression/subqueries.ts';

/** A step of a statement: pulls rows, yields rows. Undefined among them offers a pause. */
export type Stage = (input: Rows, run: Run) => Rows;

/** One stage after another. */
export function chained(stages: readonly Stage[]): Stage {
  return (input, run) => stages.reduce((rows, stage) => stage(rows, run), input);
}

/** Each row becomes any number of rows. */
export function flatMapped(expand: (row: Row, run: Run) => Rows): Stage {
  return function* (input, run) {
    let count = 0;
    for (const row of input) {
      if (row === undefined || ++count % ROWS_PER_PAUSE === 0) yield undefined;
      if (row !== undefined) yield* expand(row, run);
    }
  };
}

export function filtered(passes: (row: Row, run: Run) => boolean): Stage {
  return function* (input, run) {
    let skipped = 0;
    for (const row of input) {
      if (row === undefined || passes(row, run)) yield row;
      else if (++skipped % ROWS_PER_PAUSE === 0) yield undefined;
    }
  };
}

export function mapped(change: (row: Row, run: Run) => Row): Stage {
  return function* (input, run) {
    for (const row of input) yield row === undefined ? undefined : change(row, run);
  };
}

/** Offers a pause at each step of other work; returns its result. */
export function* pausing<T>(steps: Steps<T>): Generator<undefined, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield undefined;
  }
}

/** The only row. */
export function* single(row: Row): Rows {
  yield row;
}

/** Rows that are dropped or collected without yielding any, between two offers of a pause. */
export const ROWS_PER_PAUSE = 256;
