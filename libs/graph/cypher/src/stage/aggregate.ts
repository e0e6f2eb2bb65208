/** Groups of rows: one row for each combination of keys, with the results of the aggregates. */
import type { Evaluate, Row, Run } from '../graph/run.ts';
import type { Accumulator } from '../function/aggregates.ts';
import { keyOf } from '../value/equality.ts';
import { ROWS_PER_PAUSE, type Stage } from './stage.ts';

export interface GroupKey {
  readonly slot: number;
  readonly evaluate: Evaluate;
}

export interface Aggregation {
  readonly slot: number;
  /** The aggregated value, then further arguments. */
  readonly args: readonly Evaluate[];
  create(): Accumulator;
}

interface Group {
  readonly keys: Row;
  readonly accumulators: readonly Accumulator[];
}

/** Without keys there is one group, also of no rows. */
export function aggregated(keys: readonly GroupKey[], aggregations: readonly Aggregation[]): Stage {
  return function* (input, run) {
    const groups = new Map<string, Group>();
    if (keys.length === 0) groups.set('', newGroup([], aggregations));
    let count = 0;
    for (const row of input) {
      if (row !== undefined) addRow(groups, row, { keys, aggregations, run });
      if (row === undefined || ++count % ROWS_PER_PAUSE === 0) yield undefined;
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
  readonly keys: readonly GroupKey[];
  readonly aggregations: readonly Aggregation[];
  readonly run: Run;
}

function addRow(groups: Map<string, Group>, row: Row, { keys, aggregations, run }: Grouping): void {
  const values = keys.map(({ evaluate }) => evaluate(row, run));
  const name = keys.length === 0 ? '' : keyOf(values);
  let group = groups.get(name);
  if (group === undefined) {
    const kept: (typeof values)[number][] = [];
    for (const [index, { slot }] of keys.entries()) kept[slot] = values[index] ?? null;
    group = newGroup(kept, aggregations);
    groups.set(name, group);
    run.hold(kept.length + aggregations.length * 4);
  }
  for (const [index, { args }] of aggregations.entries()) {
    const [value = null, ...extra] = args.map((arg) => arg(row, run));
    const accumulator = group.accumulators[index];
    accumulator?.add(value, extra);
    if (accumulator?.keepsValues === true) run.hold(1);
  }
}
