/** Stages that need all rows before the first one leaves: order and distinctness. */
import { sortedInSteps } from '#platform/foundation';
import type { Evaluate, Row } from '../graph/run.ts';
import { keyOf } from '../value/equality.ts';
import { compareAll } from '../value/order.ts';
import type { Value } from '../value/value.ts';
import { pausing, ROWS_PER_PAUSE, type Stage } from './stage.ts';

export interface SortKey {
  readonly evaluate: Evaluate;
  readonly isDescending: boolean;
}

export function sorted(keys: readonly SortKey[]): Stage {
  return function* (input, run) {
    const rows: { readonly row: Row; readonly values: readonly Value[] }[] = [];
    for (const row of input) {
      if (row !== undefined) {
        rows.push({ row, values: keys.map(({ evaluate }) => evaluate(row, run)) });
        run.hold(row.length + keys.length);
      }
      if (row === undefined || rows.length % ROWS_PER_PAUSE === 0) yield undefined;
    }
    const order = yield* pausing(
      sortedInSteps(Uint32Array.from(rows.keys()), (a, b) => {
        for (const [index, { isDescending }] of keys.entries()) {
          const difference = compareAll(rows[a]?.values[index] ?? null, rows[b]?.values[index] ?? null);
          if (difference !== 0) return isDescending ? -difference : difference;
        }
        return 0;
      }),
    );
    for (const index of order) yield rows[index]?.row;
  };
}

/** The first row of each combination of values in the slots. */
export function distinct(slots: readonly number[]): Stage {
  return function* (input, run) {
    const seen = new Set<string>();
    let dropped = 0;
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      const key = keyOf(slots.map((slot) => row[slot] ?? null));
      if (!seen.has(key)) {
        seen.add(key);
        run.hold(1 + key.length / 20);
        yield row;
      } else if (++dropped % ROWS_PER_PAUSE === 0) yield undefined;
    }
  };
}
