/** ORDER BY, SKIP and LIMIT over rows of any kind. Nothing comes last, whatever the direction. */
import type { GraphReader } from '../value/graph-reader.port.ts';
import type { Cell } from '../result/query-result.ts';
import { compareCells } from './cell-reader.ts';
import { firstPlaces, placesFrom } from './cooperative-sort.ts';
import type { ExecutionContext } from './execution-context.ts';

export interface OrderKeys {
  readonly count: number;
  readonly keys: readonly { readonly cell: (row: number) => Cell; readonly isDescending: boolean }[];
}

export interface Cut {
  readonly skip: number;
  readonly limit: number;
}

/** A cell of a key: its place in the column, and a short text. */
const CELL_BYTES = 40;

/** Places of the rows that are left, in order; undefined when that is all of them as they are. */
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

/** Of two cells of one key. */
export function compareKeys(reader: GraphReader, a: Cell, b: Cell, isDescending: boolean): number {
  const isNullA = a === null || a === undefined;
  const isNullB = b === null || b === undefined;
  if (isNullA || isNullB) return Number(isNullA) - Number(isNullB);
  const order = compareCells(reader, a, b);
  return isDescending ? -order : order;
}
