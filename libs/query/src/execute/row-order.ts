/** Puts enumerated tuples into result order: slot by slot, each in the order of its elements; null last. */
import type { GraphReader } from '../graph-reader.port.ts';
import type { RowShape } from './cell-reader.ts';
import { sortedPlaces } from './cooperative-sort.ts';
import type { ExecutionContext } from './execution-context.ts';
import { compareLinks } from './link-order.ts';
import { RowList } from './row-list.ts';
import { NO_ELEMENT, type RowTable } from './row-table.ts';

/** Rows that are distinct in their first `visible` slots. */
export function* distinctRows(
  context: ExecutionContext,
  table: RowTable,
  shape: RowShape,
  visible: number,
): Generator<void, RowList> {
  const ranks = shape.slots.map((element, slot) =>
    ranksOf(context.reader, table, slot, shape.links.has(element)),
  );
  const compareSlots = (a: number, b: number, slots: number): number => {
    for (let slot = 0; slot < slots; slot++) {
      const order = rank(ranks[slot], table.slot(a, slot)) - rank(ranks[slot], table.slot(b, slot));
      if (order !== 0) return order;
    }
    return 0;
  };
  const places = yield* sortedPlaces(table.rows, (a, b) => compareSlots(a, b, table.width), context.pace);
  const tuples = table.pick(places);
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

function ranksOf(
  reader: GraphReader,
  table: RowTable,
  slot: number,
  isLink: boolean,
): ReadonlyMap<number, number> {
  const elements = table.distinct(slot);
  const sorted = isLink ? elements.sort((a, b) => compareLinks(reader, a, b)) : reader.sort(elements);
  return new Map(Array.from(sorted, (element, at) => [element, at]));
}

function rank(ranks: ReadonlyMap<number, number> | undefined, element: number): number {
  return element === NO_ELEMENT ? NO_ELEMENT : (ranks?.get(element) ?? 0);
}
