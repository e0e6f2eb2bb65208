import { type Evaluation, extended } from '../graph/run.ts';
import { isList } from '../value/value.ts';
import { flatMapped, type Stage } from './stage.ts';

/** A row for each element of a list; none of null, one of any other value. */
export function unwound(slot: number, { evaluate, inSteps }: Evaluation): Stage {
  return flatMapped(function* (row, run) {
    const value = inSteps === undefined ? evaluate(row, run) : yield* inSteps(row, run);
    if (value === null) return;
    for (const item of isList(value) ? value : [value]) yield extended(row, slot, item);
  });
}
