import type { Steps } from '#platform/foundation';
import type { Span } from '../syntax/ast.ts';
import type { Row, Run } from '../graph/run.ts';
import type { Rows } from '../expression/subqueries.ts';

/** A step of a statement: pulls rows, yields rows. Undefined among them offers a pause. */
export interface Stage {
  (input: Rows, run: Run): Rows;
  /** How it shows in a plan; undefined for a step that does not show. */
  readonly operator?: Operator;
  /** Of stages one after another: which. They may depend on the numbers of the graph. */
  readonly parts?: (run: Run) => readonly Stage[];
}

/** A step in a plan. */
export interface Operator {
  readonly name: string;
  /** Words, and places of the statement's text. */
  readonly details: readonly (string | Span)[];
  /** Rows that come out of it, where the planner knows. */
  readonly estimate?: number | undefined;
  /** Stages that it runs for each of its rows, or in place of an input. */
  readonly inner?: readonly Stage[];
  /** Whether the inner stages are all that it reads. */
  readonly isStart?: true;
}

/** One stage after another. */
export function chained(stages: readonly Stage[]): Stage {
  return chosen(() => stages);
}

/** The same for stages that are chosen when the first row is asked for. */
export function chosen(parts: (run: Run) => readonly Stage[]): Stage {
  const stage = (input: Rows, run: Run): Rows =>
    parts(run).reduce((rows, part) => watched(part, part(rows, run), run), input);
  return Object.assign(stage, { parts });
}

function watched(stage: Stage, rows: Rows, { profile }: Run): Rows {
  return profile === undefined || stage.operator === undefined ? rows : profile.watch(stage.operator, rows);
}

/** The stage as a step of the plan. */
export function shown(stage: Stage, operator: Operator): Stage {
  return Object.assign((input: Rows, run: Run): Rows => stage(input, run), { operator });
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
