import { type Evaluate, extended } from '../graph/run.ts';
import { isList } from '../value/value.ts';
import { flatMapped, type Stage } from './stage.ts';

/** A row for each element of a list; none of null, one of any other value. */
export function unwound(slot: number, evaluate: Evaluate): Stage {
  return flatMapped(function* (row, run) {
    const value = evaluate(row, run);
    if (value === null) return;
    for (const item of isList(value) ? value : [value]) yield extended(row, slot, item);
  });
}
