/** Sorts enumerated tuples in result order: slot by slot, in the order of the elements, null last. */
import {
  type GraphReader,
  firstPlaces,
  placesFrom,
  sortedPlaces,
  type ExecutionContext,
  compareLinks,
  NodeList,
  ascending,
  numbersOf,
  type Pace,
  NO_ELEMENT,
  type RowTable,
} from '#graph/execution';
import { sortedInSteps } from '#platform/foundation';
import type { Cell } from '../../result/query-result.ts';
import { compareCells, type RowShape } from './cell-reader.ts';
import { RowList } from './row-list.ts';

export interface RowDemand {
  /** Slots that distinguish rows. */
  readonly visible: number;
  /** False if the order is not visible: rows are only deduplicated. */
  readonly isOrdered: boolean;
}

/** The position of an element in result order. */
type Rank = (element: number) => number;

/** Maximum rows of a table whose elements are not ranked by arrays of the graph's size. */
const FEW_ROWS = 4_096;

/** Rows that are distinct in their first `visible` slots. */
export function* distinctRows(
  context: ExecutionContext,
  table: RowTable,
  shape: RowShape,
  { visible, isOrdered }: RowDemand,
): Generator<void, RowList> {
  if (!isOrdered && visible === table.width) return new RowList(table);
  const ranks: Rank[] = [];
  for (let slot = 0; slot < table.width; slot++) {
    const isLink = shape.links.has(shape.slots[slot] ?? -1);
    ranks.push(isOrdered ? yield* rankOf(context, table, slot, isLink) : sameNumber);
  }
  const compareRows = (a: number, b: number): number => {
    for (let slot = 0; slot < ranks.length; slot++) {
      const rank = ranks[slot] ?? sameNumber;
      const order = rank(table.slot(a, slot)) - rank(table.slot(b, slot));
      if (order !== 0) return order;
    }
    return 0;
  };
  const places = yield* sortedPlaces(table.rows, compareRows, context.pace);
  if (visible === table.width) return new RowList(table, { places });
  return new RowList(table, { places, starts: yield* runStarts(context.pace, table, places, visible) });
}

/** Start offsets of the runs of adjacent tuples with equal slots, and the end of the last run. */
function* runStarts(
  pace: Pace,
  table: RowTable,
  places: Uint32Array,
  visible: number,
): Generator<void, Uint32Array> {
  const starts = new NodeList();
  for (let at = 0; at < places.length; at++) {
    const isNew = at === 0 || !isSame(table, places[at - 1] ?? 0, places[at] ?? 0, visible);
    if (isNew) starts.push(at);
    if (pace.isDue(visible)) yield;
  }
  starts.push(places.length);
  return starts.toArray();
}

function isSame(table: RowTable, a: number, b: number, slots: number): boolean {
  for (let slot = 0; slot < slots; slot++) if (table.slot(a, slot) !== table.slot(b, slot)) return false;
  return true;
}

/** Positions in result order; the node numbers themselves if the reader numbers nodes in that order. */
function* rankOf(
  { reader, pace }: ExecutionContext,
  table: RowTable,
  slot: number,
  isLink: boolean,
): Generator<void, Rank> {
  const bound = isLink ? reader.linkBound : reader.nodeBound;
  const elements = yield* elementsIn(table, slot, bound, pace);
  const compare = (a: number, b: number): number =>
    isLink ? compareLinks(reader, a, b) : reader.compare(a, b);
  const sorted = yield* pace.through(sortedInSteps(elements.slice(), compare));
  if (yield* isEqual(elements, sorted, pace)) return sameNumber;
  if (table.rows <= FEW_ROWS) {
    const ranks = new Map(Array.from(sorted, (element, at) => [element, at]));
    return (element) => ranks.get(element) ?? NO_ELEMENT;
  }
  const ranks = new Uint32Array(bound);
  for (let at = 0; at < sorted.length; at++) {
    ranks[sorted[at] ?? 0] = at;
    if (pace.isDue(1)) yield;
  }
  return (element) => ranks[element] ?? NO_ELEMENT;
}

/** Distinct nodes or links in one slot, ascending. */
function* elementsIn(table: RowTable, slot: number, bound: number, pace: Pace): Generator<void, Uint32Array> {
  if (table.rows <= FEW_ROWS) {
    const found = new Set<number>();
    for (let row = 0; row < table.rows; row++) found.add(table.slot(row, slot));
    found.delete(NO_ELEMENT);
    return yield* ascending(NodeList.of(Uint32Array.from(found)), bound, pace);
  }
  const words = new Uint32Array((bound >>> 5) + 1);
  for (let row = 0; row < table.rows; row++) {
    const element = table.slot(row, slot);
    if (element !== NO_ELEMENT) words[element >>> 5] = (words[element >>> 5] ?? 0) | (1 << (element & 31));
    if (pace.isDue(1)) yield;
  }
  return yield* numbersOf(words, pace);
}

function* isEqual(left: Uint32Array, right: Uint32Array, pace: Pace): Generator<void, boolean> {
  for (let at = 0; at < left.length; at++) {
    if (left[at] !== right[at]) return false;
    if (pace.isDue(1)) yield;
  }
  return true;
}

/** {@link NO_ELEMENT} is the greatest number. */
function sameNumber(element: number): number {
  return element;
}

/** ORDER BY, SKIP and LIMIT over rows of any kind. Nulls sort last in both directions. */
export interface OrderKeys {
  readonly count: number;
  readonly keys: readonly { readonly cell: (row: number) => Cell; readonly isDescending: boolean }[];
}

interface Cut {
  readonly skip: number;
  readonly limit: number;
}

/** Memory of a key's cell: its slot in the column, and a short string. */
const CELL_BYTES = 40;

/** Indices of the remaining rows, in order; undefined if all rows remain in their order. */
export function* orderedPlaces(
  context: ExecutionContext,
  { count, keys }: OrderKeys,
  { skip, limit }: Cut,
): Generator<void, Uint32Array | undefined> {
  const end = Math.min(count, skip + limit);
  if (keys.length === 0) {
    if (skip === 0 && end === count) return undefined;
    return yield* placesFrom(skip, end, context.pace);
  }
  const columns: Cell[][] = keys.map(() => []);
  for (let row = 0; row < count; row++) {
    keys.forEach((key, at) => columns[at]?.push(key.cell(row)));
    context.hold(keys.length * CELL_BYTES);
    if (context.pace.isDue(keys.length)) yield;
  }
  const compare = (a: number, b: number): number => {
    for (const [at, { isDescending }] of keys.entries()) {
      const order = compareKeys(context.reader, columns[at]?.[a], columns[at]?.[b], isDescending);
      if (order !== 0) return order;
    }
    return 0;
  };
  return (yield* firstPlaces(count, end, compare, context.pace)).slice(skip);
}

/** Compares two cells of one key. */
export function compareKeys(reader: GraphReader, a: Cell, b: Cell, isDescending: boolean): number {
  const isNullA = a === null || a === undefined;
  const isNullB = b === null || b === undefined;
  if (isNullA || isNullB) return Number(isNullA) - Number(isNullB);
  const order = compareCells(reader, a, b);
  return isDescending ? -order : order;
}
