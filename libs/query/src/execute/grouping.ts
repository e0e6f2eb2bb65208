import type { Steps } from '#foundation';
import type { FieldValue, GroupCount } from '#model';
import type { GroupOperand, Grouping } from '../binder/bound-query.ts';
import type { GraphReader } from '../graph-reader.port.ts';
import { compileCondition, type Condition } from '../plan/condition.ts';
import { LinkCell, NodeCell, type Cell } from '../result/query-result.ts';
import { accumulatorOf, type Accumulator } from './accumulator.ts';
import {
  cellKey,
  cellReader,
  compareCells,
  type CellReader,
  type RowShape,
  type SlotRows,
} from './cell-reader.ts';
import { sortedPlaces } from './cooperative-sort.ts';
import type { ExecutionContext } from './execution-context.ts';
import type { Pace } from './pace.ts';
import { countedRows, type RowSink } from './row-sink.ts';
import { NO_ELEMENT } from './row-table.ts';

/** One group: values of the keys and of the aggregates, in the order of {@link Grouping}. */
export interface Group {
  readonly keys: readonly Cell[];
  readonly count: number;
  readonly aggregates: readonly Cell[];
}

/** Groups of rows, keys ascending, nothing last. */
export function* groupRows(
  context: ExecutionContext,
  grouping: Grouping,
  shape: RowShape,
  rows: SlotRows,
): Generator<void, readonly Group[]> {
  const groups = new GroupTable(context.reader, grouping, shape);
  for (let row = 0; row < rows.rows; row++) {
    groups.add(rows, row);
    if (context.pace.isDue(4)) yield;
  }
  return yield* sorted(context, yield* groups.result(context.pace));
}

/** Groups whose sizes an index knows; every aggregate counts rows. */
export function* countedGroups(
  context: ExecutionContext,
  grouping: Grouping,
  counts: readonly GroupCount[],
): Steps<readonly Group[]> {
  const groups: Group[] = [];
  for (const { values, count } of counts) {
    groups.push({ keys: values, count, aggregates: grouping.aggregates.map(() => count) });
    if (context.pace.isDue(1)) yield;
  }
  return yield* sorted(context, groups);
}

/** Those for which HAVING holds. */
export function having(
  groups: readonly Group[],
  condition: Condition<GroupOperand> | undefined,
): readonly Group[] {
  if (condition === undefined) return groups;
  const passes = compileCondition<GroupOperand, Group>(condition, {
    value: (operand) => (group) => comparable(groupCell(group, operand)),
    identity: () => () => undefined,
    linked: () => () => false,
  });
  return groups.filter(passes);
}

export function groupCell(group: Group, operand: GroupOperand): Cell {
  return operand.kind === 'key' ? group.keys[operand.index] : group.aggregates[operand.index];
}

/** A whole element exists, and equals nothing. */
function comparable(cell: Cell): FieldValue {
  return cell instanceof NodeCell || cell instanceof LinkCell ? [] : cell;
}

interface OpenGroup {
  readonly keys: readonly Cell[];
  count: number;
  readonly accumulators: readonly Accumulator[];
}

/** Groups of rows as they come, none of which is kept. */
export class GroupSink implements RowSink {
  readonly #context: ExecutionContext;
  readonly #groups: GroupTable;
  #rows = 0;
  #row: Uint32Array = new Uint32Array(0);
  /** The row at hand. */
  readonly #view: SlotRows = {
    rows: 1,
    bytes: 0,
    slot: (_row, slot) => this.#row[slot] ?? NO_ELEMENT,
  };

  constructor(context: ExecutionContext, grouping: Grouping, shape: RowShape) {
    this.#context = context;
    this.#groups = new GroupTable(context.reader, grouping, shape);
  }

  get rows(): number {
    return this.#rows;
  }

  take(row: Uint32Array, weight: number): boolean {
    this.#row = row;
    this.#rows += weight;
    this.#groups.add(this.#view, 0, weight);
    return false;
  }

  *result(): Steps<readonly Group[]> {
    return yield* sorted(this.#context, yield* this.#groups.result(this.#context.pace));
  }
}

class GroupTable {
  readonly #reader: GraphReader;
  readonly #grouping: Grouping;
  readonly #keys: readonly CellReader[];
  readonly #arguments: readonly (CellReader | undefined)[];
  readonly #groups = new Map<unknown, OpenGroup>();

  constructor(reader: GraphReader, grouping: Grouping, shape: RowShape) {
    this.#reader = reader;
    this.#grouping = grouping;
    this.#keys = grouping.keys.map((key) => cellReader(reader, shape, key));
    this.#arguments = grouping.aggregates.map(({ argument }) =>
      argument === '*' ? undefined : cellReader(reader, shape, argument),
    );
    if (grouping.keys.length === 0) this.#open('', []);
  }

  /** `weight`: how many rows it stands for. */
  add(rows: SlotRows, row: number, weight = 1): void {
    const keys = this.#keys.map((read) => read(rows, row));
    const group = this.#groups.get(groupKey(keys)) ?? this.#open(groupKey(keys), keys);
    group.count = countedRows(group.count + weight);
    group.accumulators.forEach((accumulator, at) => {
      accumulator.add(this.#arguments[at]?.(rows, row), weight);
    });
  }

  /** In no order. */
  *result(pace: Pace): Steps<Group[]> {
    const groups: Group[] = [];
    for (const { keys, count, accumulators } of this.#groups.values()) {
      groups.push({ keys, count, aggregates: accumulators.map((accumulator) => accumulator.result) });
      if (pace.isDue(1)) yield;
    }
    return groups;
  }

  #open(key: unknown, keys: readonly Cell[]): OpenGroup {
    const accumulators = this.#grouping.aggregates.map((aggregate) => accumulatorOf(this.#reader, aggregate));
    const group = { keys, count: 0, accumulators };
    this.#groups.set(key, group);
    return group;
  }
}

function groupKey(keys: readonly Cell[]): unknown {
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
  const places = yield* sortedPlaces(groups.length, compare, pace);
  return Array.from(places, (place) => groups[place]).filter((group) => group !== undefined);
}
