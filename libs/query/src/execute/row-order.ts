/** Puts enumerated tuples into result order: slot by slot, each in the order of its elements; null last. */
import type { GraphReader } from '../graph-reader.port.ts';
import type { RowShape } from './cell-reader.ts';
import { sortedPlaces } from './cooperative-sort.ts';
import type { ExecutionContext } from './execution-context.ts';
import { compareLinks } from './link-order.ts';
import { RowList } from './row-list.ts';
import { NO_ELEMENT, type RowTable } from './row-table.ts';

export interface RowDemand {
  /** Slots that tell rows apart. */
  readonly visible: number;
  /** False where nobody sees the order: rows are only told apart. */
  readonly isOrdered: boolean;
}

/** Rows that are distinct in their first `visible` slots. */
export function* distinctRows(
  context: ExecutionContext,
  table: RowTable,
  shape: RowShape,
  { visible, isOrdered }: RowDemand,
): Generator<void, RowList> {
  if (!isOrdered && visible === table.width) return RowList.of(table);
  const rankOf = shape.slots.map((element, slot) =>
    isOrdered ? ranks(context.reader, table, slot, shape.links.has(element)) : sameNumber,
  );
  const compareRows = (a: number, b: number): number => {
    for (const [slot, rank] of rankOf.entries()) {
      const order = rank(table.slot(a, slot)) - rank(table.slot(b, slot));
      if (order !== 0) return order;
    }
    return 0;
  };
  const tuples = table.pick(yield* sortedPlaces(table.rows, compareRows, context.pace));
  if (visible === table.width) return RowList.of(tuples);
  return RowList.grouped(tuples, yield* runs(context, tuples, visible));
}

/** Neighbouring tuples with equal slots. */
function* runs(context: ExecutionContext, tuples: RowTable, visible: number): Generator<void, number[][]> {
  const rows: number[][] = [];
  for (let place = 0; place < tuples.rows; place++) {
    const isNew = place === 0 || !isSame(tuples, place - 1, place, visible);
    if (isNew) rows.push([place]);
    else rows.at(-1)?.push(place);
    if (context.pace.isDue(1)) yield;
  }
  return rows;
}

function isSame(tuples: RowTable, a: number, b: number, slots: number): boolean {
  for (let slot = 0; slot < slots; slot++) if (tuples.slot(a, slot) !== tuples.slot(b, slot)) return false;
  return true;
}

/** Places in result order; where the reader numbers its nodes in that order, the numbers will do. */
function ranks(
  reader: GraphReader,
  table: RowTable,
  slot: number,
  isLink: boolean,
): (element: number) => number {
  const elements = table.distinct(slot);
  const sorted = isLink ? elements.sort((a, b) => compareLinks(reader, a, b)) : reader.sort(elements);
  if (isAscending(sorted)) return sameNumber;
  const places = new Map(Array.from(sorted, (element, at) => [element, at]));
  return (element) => places.get(element) ?? NO_ELEMENT;
}

function isAscending(numbers: Uint32Array): boolean {
  for (let at = 1; at < numbers.length; at++) if ((numbers[at - 1] ?? 0) > (numbers[at] ?? 0)) return false;
  return true;
}

/** {@link NO_ELEMENT} is the greatest number. */
function sameNumber(element: number): number {
  return element;
}
