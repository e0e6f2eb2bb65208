/** Stages that need all rows before the first one leaves: order and distinctness. */
import { sortedInSteps } from '#platform/foundation';
import { type Evaluation, type Row, valuesInSteps } from '../graph/run.ts';
import { keyOf } from '../value/equality.ts';
import { compareAll } from '../value/order.ts';
import { textSize, type Value } from '../value/value.ts';
import { pausing, type Stage } from './stage.ts';

export interface SortKey extends Evaluation {
  readonly isDescending: boolean;
}

export function sorted(keys: readonly SortKey[]): Stage {
  return function* (input, run) {
    const rows: { readonly row: Row; readonly values: readonly Value[] }[] = [];
    for (const row of input) {
      if (row !== undefined) {
        const { made } = run;
        const values = yield* valuesInSteps(keys, row, run);
        run.drop(made);
        rows.push({ row, values });
        run.keep(row);
        run.keep(values);
      }
      if (row === undefined || run.isPauseDue()) yield undefined;
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
    for (const row of input) {
      if (row === undefined) {
        yield undefined;
        continue;
      }
      const key = keyOf(slots.map((slot) => row[slot] ?? null));
      if (!seen.has(key)) {
        seen.add(key);
        run.hold(1 + textSize(key));
        yield row;
      } else if (run.isPauseDue()) yield undefined;
    }
  };
}
