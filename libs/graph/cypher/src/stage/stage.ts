import type { Steps } from '#platform/foundation';
import type { Span } from '../syntax/ast.ts';
import { LINE_STAGES_MAX, type LineOfStages, relayed } from './relay.ts';
import { type Evaluation, type Pausing, type Row, type Run, valuesInSteps } from '../graph/run.ts';
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
  readonly estimate?: ((run: Run) => number) | undefined;
  /** Stages that it runs for each of its rows, or in place of an input. */
  readonly inner?: readonly Stage[];
  /** Whether the inner stages are all that it reads. */
  readonly isStart?: true;
}

/** One stage after another. */
export function chained(stages: readonly Stage[]): Stage {
  const [only, ...others] = stages;
  if (only !== undefined && others.length === 0) return only;
  return chosen(() => stages);
}

/** The same for stages that are chosen when the first row is asked for. */
export function chosen(parts: (run: Run) => readonly Stage[]): Stage {
  const stage = (input: Rows, run: Run): Rows => {
    const all: Stage[] = [];
    for (const part of parts(run)) addSingle(part, run, all);
    return all.length <= LINE_STAGES_MAX ? pulled(all, input, run) : relayed(linesOf(all, run), input);
  };
  return Object.assign(stage, { parts });
}

/** Each stage pulls from the one before. */
function pulled(stages: readonly Stage[], input: Rows, run: Run): Rows {
  let rows = input;
  for (const stage of stages) rows = watched(stage, stage(rows, run), run);
  return rows;
}

function linesOf(stages: readonly Stage[], run: Run): readonly LineOfStages[] {
  return Array.from({ length: Math.ceil(stages.length / LINE_STAGES_MAX) }, (_, at) => {
    const line = stages.slice(at * LINE_STAGES_MAX, (at + 1) * LINE_STAGES_MAX);
    return (input) => pulled(line, input, run);
  });
}

/** The stages that a stage consists of. */
function addSingle(stage: Stage, run: Run, into: Stage[]): void {
  if (stage.parts === undefined) into.push(stage);
  else for (const part of stage.parts(run)) addSingle(part, run, into);
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
    for (const row of input) {
      if (row === undefined || run.isPauseDue()) yield undefined;
      if (row === undefined) continue;
      const { made } = run;
      yield* expand(row, run);
      run.drop(made);
    }
  };
}

/** The rows for which the condition is true. */
export function filtered({ evaluate, inSteps }: Evaluation): Stage {
  return function* (input, run) {
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      const { made } = run;
      const truth = inSteps === undefined ? evaluate(row, run) : yield* inSteps(row, run);
      run.drop(made);
      if (truth === true) yield row;
      else if (run.isPauseDue()) yield undefined;
    }
  };
}

export function mapped(change: (row: Row, run: Run) => Row): Stage {
  return function* (input, run) {
    for (const row of input) {
      const { made } = run;
      yield row === undefined ? undefined : change(row, run);
      run.drop(made);
    }
  };
}

/** Each row with some values more. */
export function columnsAdded(columns: readonly Column[]): Stage {
  if (columns.every(({ inSteps }) => inSteps === undefined)) {
    return mapped((row, run) => {
      const next = row.slice();
      for (const { slot, evaluate } of columns) next[slot] = evaluate(row, run);
      return next;
    });
  }
  return flatMapped(function* (row, run) {
    const values = yield* valuesInSteps(columns, row, run);
    const next = row.slice();
    for (const [index, { slot }] of columns.entries()) next[slot] = values[index] ?? null;
    yield next;
  });
}

export interface Column extends Evaluation {
  readonly slot: number;
}

/** Offers a pause at each step of other work, which yields nothing; returns its result. */
export function pausing<T>(steps: Steps<T>): Pausing<T> {
  return steps as Pausing<T>;
}

/** The only row. */
export function* single(row: Row): Rows {
  yield row;
}
