/** Groups of rows: one row for each combination of keys, with the results of the aggregates. */
import { type Evaluation, type Pausing, type Row, type Run, valuesInSteps } from '../graph/run.ts';
import type { Value } from '../value/value.ts';
import type { Column } from './stage.ts';
import type { Accumulator } from '../function/aggregates.ts';
import { keyOf } from '../value/equality.ts';
import { type Stage } from './stage.ts';

export interface Aggregation {
  readonly slot: number;
  /** The aggregated value, then further arguments. */
  readonly args: readonly Evaluation[];
  create(): Accumulator;
}

interface Group {
  readonly keys: Row;
  readonly accumulators: readonly Accumulator[];
}

/**
 * Without keys there is one group, also of no rows. `weightSlot`: of the number of rows that a row stands
 * for, where it stands for more than itself.
 */
export function aggregated(
  keys: readonly Column[],
  aggregations: readonly Aggregation[],
  weightSlot = -1,
): Stage {
  return function* (input, run) {
    const groups = new Map<string, Group>();
    if (keys.length === 0) groups.set('', newGroup([], aggregations));
    for (const row of input) {
      if (row !== undefined) {
        const { made } = run;
        yield* addRow(groups, row, { keys, aggregations, run, weightSlot });
        run.drop(made);
      }
      if (row === undefined || run.isPauseDue()) yield undefined;
    }
    for (const group of groups.values()) {
      const row = group.keys.slice();
      for (const [index, { slot }] of aggregations.entries()) {
        row[slot] = group.accumulators[index]?.result() ?? null;
      }
      yield row;
    }
  };
}

function newGroup(keys: Row, aggregations: readonly Aggregation[]): Group {
  return { keys, accumulators: aggregations.map((aggregation) => aggregation.create()) };
}

interface Grouping {
  readonly keys: readonly Column[];
  readonly aggregations: readonly Aggregation[];
  readonly run: Run;
  readonly weightSlot: number;
}

function* addRow(
  groups: Map<string, Group>,
  row: Row,
  { keys, aggregations, run, weightSlot }: Grouping,
): Pausing<void> {
  const values = yield* valuesInSteps(keys, row, run);
  const name = keys.length === 0 ? '' : keyOf(values);
  let group = groups.get(name);
  if (group === undefined) {
    const kept: Value[] = [];
    for (const [index, { slot }] of keys.entries()) kept[slot] = values[index] ?? null;
    group = newGroup(kept, aggregations);
    groups.set(name, group);
    run.hold(aggregations.length * 4);
    run.keep(kept);
  }
  const weight = row[weightSlot];
  const count = typeof weight === 'bigint' ? Number(weight) : 1;
  for (const [index, { args }] of aggregations.entries()) {
    const [value = null, ...extra] = yield* valuesInSteps(args, row, run);
    const accumulator = group.accumulators[index];
    accumulator?.add(value, count, extra);
    if (accumulator?.keepsValues === true) run.keep([value]);
  }
}
