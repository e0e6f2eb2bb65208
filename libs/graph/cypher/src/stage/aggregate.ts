/** Groups of rows: one row for each combination of keys, with the results of the aggregates. *Hot path*. */
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

/** What a row of a group has beside its keys. */
export interface GroupResults {
  readonly aggregations: readonly Aggregation[];
  /** What is made of them and the keys. */
  readonly columns: readonly Column[];
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
  { aggregations, columns }: GroupResults,
  weightSlot = -1,
): Stage {
  const isShort = [...keys, ...aggregations.flatMap(({ args }) => args)].every(
    ({ inSteps }) => inSteps === undefined,
  );
  return function* (input, run) {
    const grouping = new Grouping(keys, aggregations, run);
    for (const row of input) {
      if (row !== undefined) {
        const { made } = run;
        const weight = row[weightSlot];
        const count = typeof weight === 'bigint' ? Number(weight) : 1;
        if (isShort) grouping.add(row, count);
        else yield* grouping.addInSteps(row, count);
        run.drop(made);
      }
      if (row === undefined || run.isPauseDue()) yield undefined;
    }
    for (const group of grouping.groups) {
      const { made } = run;
      const row = grouping.rowOf(group);
      for (const { slot, evaluate, inSteps } of columns) {
        row[slot] = inSteps === undefined ? evaluate(row, run) : yield* inSteps(row, run);
      }
      yield row;
      run.drop(made);
    }
  };
}

/** The groups of one run. */
class Grouping {
  readonly #keys: readonly Column[];
  readonly #aggregations: readonly Aggregation[];
  readonly #run: Run;
  /** By their keys; made for the first. A text that is the only key needs no other name. */
  #groups: Map<string, Group> | undefined;
  #textGroups: Map<string, Group> | undefined;
  /** As they came. */
  readonly #all: Group[] = [];
  /** Without keys. */
  readonly #only: Group | undefined;

  constructor(keys: readonly Column[], aggregations: readonly Aggregation[], run: Run) {
    this.#keys = keys;
    this.#aggregations = aggregations;
    this.#run = run;
    this.#only = keys.length === 0 ? this.#newGroup([]) : undefined;
  }

  add(row: Row, count: number): void {
    const group = this.#only ?? this.#groupOf(this.#keys.map(({ evaluate }) => evaluate(row, this.#run)));
    for (let at = 0; at < this.#aggregations.length; at++) {
      const { args } = this.#aggregations[at]!;
      const value = args.length === 0 ? null : args[0]!.evaluate(row, this.#run);
      const extra = args.length < 2 ? NONE : args.slice(1).map(({ evaluate }) => evaluate(row, this.#run));
      this.#addTo(group.accumulators[at]!, { value, count, extra });
    }
  }

  *addInSteps(row: Row, count: number): Pausing<void> {
    const group = this.#only ?? this.#groupOf(yield* valuesInSteps(this.#keys, row, this.#run));
    for (const [at, { args }] of this.#aggregations.entries()) {
      const [value = null, ...extra] = yield* valuesInSteps(args, row, this.#run);
      this.#addTo(group.accumulators[at]!, { value, count, extra });
    }
  }

  get groups(): readonly Group[] {
    return this.#only === undefined ? this.#all : [this.#only];
  }

  /** The keys and results of a group. */
  rowOf({ keys, accumulators }: Group): Value[] {
    const row = keys.slice();
    for (let at = 0; at < accumulators.length; at++) {
      row[this.#aggregations[at]!.slot] = accumulators[at]!.result();
    }
    return row;
  }

  #addTo(
    accumulator: Accumulator,
    {
      value,
      count,
      extra,
    }: { readonly value: Value; readonly count: number; readonly extra: readonly Value[] },
  ): void {
    accumulator.add(value, count, extra);
    if (accumulator.keepsValues === true) this.#run.keep([value]);
  }

  #groupOf(values: readonly Value[]): Group {
    const only = values.length === 1 ? values[0] : undefined;
    const isText = typeof only === 'string';
    const name = isText ? only : keyOf(values);
    const groups = isText
      ? (this.#textGroups ??= new Map<string, Group>())
      : (this.#groups ??= new Map<string, Group>());
    let group = groups.get(name);
    if (group === undefined) {
      const kept: Value[] = [];
      for (const [index, { slot }] of this.#keys.entries()) kept[slot] = values[index] ?? null;
      group = this.#newGroup(kept);
      groups.set(name, group);
      this.#all.push(group);
      this.#run.hold(this.#aggregations.length * VALUES_PER_AGGREGATE);
      this.#run.keep(kept);
    }
    return group;
  }

  #newGroup(keys: Row): Group {
    return { keys, accumulators: this.#aggregations.map((aggregation) => aggregation.create()) };
  }
}

const VALUES_PER_AGGREGATE = 4;
const NONE: readonly Value[] = [];
