import type { FieldValue, GroupCount } from '#graph/model';
import { type Steps, type WideKey, WideMap } from '#platform/foundation';
import {
  type GroupOperand,
  type Grouping,
  type GroupValue,
  isComputedOperand,
} from '../../binder/bound-query.ts';
import {
  compileCondition,
  type Condition,
  sortedPlaces,
  type ExecutionContext,
  type Pace,
  countedRows,
  type RowSink,
  NO_ELEMENT,
} from '#graph/execution';
import { LinkCell, NodeCell, type Cell } from '../../result/query-result.ts';
import { accumulatorOf, type Accumulator } from './accumulator.ts';
import {
  cellKey,
  cellReader,
  compareCells,
  type CellReader,
  type RowShape,
  type SlotRows,
} from '../row/cell-reader.ts';
import { computedOf } from '../row/computed-cell.ts';

/** One group: values of the keys and of the aggregates, in the order of {@link Grouping}. */
export interface Group {
  readonly keys: readonly Cell[];
  readonly count: number;
  readonly aggregates: readonly Cell[];
}

/** Groups of rows, keys ascending, nulls last. */
export function* groupRows(
  context: ExecutionContext,
  grouping: Grouping,
  shape: RowShape,
  rows: SlotRows,
): Generator<void, readonly Group[]> {
  const groups = new GroupTable(context, grouping, shape);
  for (let row = 0; row < rows.rows; row++) {
    groups.add(rows, row);
    if (context.pace.isDue(4)) yield;
  }
  return yield* sorted(context, yield* groups.result());
}

/** Groups with sizes from an index; every aggregate counts rows. */
export function* countedGroups(
  context: ExecutionContext,
  grouping: Grouping,
  counts: readonly GroupCount[],
): Steps<readonly Group[]> {
  const groups: Group[] = [];
  for (const { values, count } of counts) {
    groups.push({ keys: values, count, aggregates: grouping.aggregates.map(() => count) });
    context.hold(GROUP_BYTES);
    if (context.pace.isDue(1)) yield;
  }
  return yield* sorted(context, groups);
}

/** The groups that satisfy HAVING. */
export function* having(
  { pace }: ExecutionContext,
  groups: readonly Group[],
  condition: Condition<GroupValue> | undefined,
): Steps<readonly Group[]> {
  if (condition === undefined) return groups;
  const passes = compileCondition<GroupValue, Group>(condition, {
    value: (operand) => {
      const read = groupReader(operand);
      return (group) => comparable(read(group));
    },
    same: () => () => false,
    linked: () => () => false,
  });
  const passing: Group[] = [];
  for (const group of groups) {
    if (passes(group)) passing.push(group);
    if (pace.isDue(1)) yield;
  }
  return passing;
}

export function groupReader(value: GroupValue): (group: Group) => Cell {
  if (isComputedOperand(value)) return computedOf<GroupOperand, Group>(value, groupReader);
  return (group) => groupCell(group, value);
}

function groupCell(group: Group, operand: GroupOperand): Cell {
  return operand.kind === 'key' ? group.keys[operand.index] : group.aggregates[operand.index];
}

/** A whole element exists, and equals no value. */
function comparable(cell: Cell): FieldValue {
  return cell instanceof NodeCell || cell instanceof LinkCell ? [] : cell;
}

interface OpenGroup {
  readonly keys: readonly Cell[];
  count: number;
  readonly accumulators: readonly Accumulator[];
}

/** Memory of an open group without its values, and of one accumulator. */
const GROUP_BYTES = 320;
/** Up to this many groups are sorted without yielding. */
const SORTED_AT_ONCE_MAX = 64;
const ACCUMULATOR_BYTES = 64;

/** Groups rows during enumeration, without keeping them. */
export class GroupSink implements RowSink {
  readonly #context: ExecutionContext;
  readonly #groups: GroupTable;
  #rows = 0;
  #row: Uint32Array = new Uint32Array(0);
  /** The current row. */
  readonly #view: SlotRows = {
    rows: 1,
    bytes: 0,
    slot: (_row, slot) => this.#row[slot] ?? NO_ELEMENT,
  };

  constructor(context: ExecutionContext, grouping: Grouping, shape: RowShape) {
    this.#context = context;
    this.#groups = new GroupTable(context, grouping, shape);
  }

  get rows(): number {
    return this.#rows;
  }

  add(row: Uint32Array, weight: number): boolean {
    this.#row = row;
    this.#rows += weight;
    this.#groups.add(this.#view, 0, weight);
    return false;
  }

  *result(): Steps<readonly Group[]> {
    return yield* sorted(this.#context, yield* this.#groups.result());
  }
}

class GroupTable {
  readonly #context: ExecutionContext;
  readonly #grouping: Grouping;
  readonly #keys: readonly CellReader[];
  readonly #arguments: readonly (CellReader | undefined)[];
  readonly #groups = new WideMap<OpenGroup>();

  constructor(context: ExecutionContext, grouping: Grouping, shape: RowShape) {
    const { reader } = context;
    this.#context = context;
    this.#grouping = grouping;
    this.#keys = grouping.keys.map((key) => cellReader(reader, shape, key));
    this.#arguments = grouping.aggregates.map(({ argument }) =>
      argument === '*' ? undefined : cellReader(reader, shape, argument),
    );
    if (grouping.keys.length === 0) this.#open('', []);
  }

  /** `weight`: the number of rows it represents. */
  add(rows: SlotRows, row: number, weight = 1): void {
    // Undefined and null become one: which of them the group's first row has depends on the plan.
    const keys = this.#keys.map((read) => read(rows, row) ?? null);
    const name = groupKey(keys);
    const group = this.#groups.get(name) ?? this.#open(name, keys);
    group.count = countedRows(group.count + weight);
    group.accumulators.forEach((accumulator, at) => {
      accumulator.add(this.#arguments[at]?.(rows, row), weight);
    });
  }

  /** The groups in the order of their first rows. */
  *result(): Steps<Group[]> {
    const { pace } = this.#context;
    const groups: Group[] = [];
    for (const { keys, count, accumulators } of this.#groups.values()) {
      groups.push({ keys, count, aggregates: accumulators.map((accumulator) => accumulator.result) });
      if (pace.isDue(1)) yield;
    }
    return groups;
  }

  #open(key: WideKey, keys: readonly Cell[]): OpenGroup {
    const accumulators = this.#grouping.aggregates.map((aggregate) =>
      accumulatorOf(this.#context.reader, aggregate),
    );
    this.#context.hold(GROUP_BYTES + accumulators.length * ACCUMULATOR_BYTES);
    const group = { keys, count: 0, accumulators };
    this.#groups.add(key, group);
    return group;
  }
}

function groupKey(keys: readonly Cell[]): WideKey {
  if (keys.length === 0) return '';
  return keys.length === 1 ? cellKey(keys[0]) : JSON.stringify(keys.map(cellKey));
}

function* sorted({ reader, pace }: ExecutionContext, groups: readonly Group[]): Steps<readonly Group[]> {
  const keyCount = groups[0]?.keys.length ?? 0;
  const compare = (a: number, b: number): number => {
    for (let key = 0; key < keyCount; key++) {
      const order = compareCells(reader, groups[a]?.keys[key], groups[b]?.keys[key]);
      if (order !== 0) return order;
    }
    return 0;
  };
  if (groups.length <= SORTED_AT_ONCE_MAX) {
    if (isAscending(groups.length, compare)) return groups;
    const places = Array.from(groups.keys()).sort(compare);
    return places.flatMap((place) => groups[place] ?? []);
  }
  return yield* groupsAt(groups, yield* sortedPlaces(groups.length, compare, pace), pace);
}

function isAscending(length: number, compare: (a: number, b: number) => number): boolean {
  for (let at = 1; at < length; at++) if (compare(at - 1, at) > 0) return false;
  return true;
}

/** The groups at these indices, in that order. */
export function* groupsAt(groups: readonly Group[], places: Uint32Array, pace: Pace): Steps<Group[]> {
  const found: Group[] = [];
  for (const place of places) {
    const group = groups[place];
    if (group !== undefined) found.push(group);
    if (pace.isDue(1)) yield;
  }
  return found;
}

/** The first group of each set with equal cells in these columns. */
export function* distinctGroups(
  { pace }: ExecutionContext,
  groups: readonly Group[],
  columns: readonly { value: GroupValue }[],
): Steps<readonly Group[]> {
  const readers = columns.map(({ value }) => groupReader(value));
  const known = new WideMap<true>();
  const first: Group[] = [];
  for (const group of groups) {
    const key = JSON.stringify(readers.map((read) => cellKey(read(group))));
    if (known.get(key) === undefined) {
      known.add(key, true);
      first.push(group);
    }
    if (pace.isDue(4)) yield;
  }
  return first;
}
