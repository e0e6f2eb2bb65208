/** Expressions with parts whose work is long: where one is asked for, it is evaluated with pauses. */
import { completed } from '#platform/foundation';
import type { Evaluate, Evaluation } from '../graph/run.ts';

type InSteps = NonNullable<Evaluation['inSteps']>;

/** The part's value by its slot, where it stands once it was needed. */
export function neededValue(slot: number, inSteps: InSteps): Evaluate {
  const needed = new NeededValue(slot, inSteps);
  return (row) => {
    const value = row[slot];
    if (value === undefined) throw needed;
    return value;
  };
}

/** Not a failure: the value of a part that an expression needs before it can go on. */
class NeededValue extends Error {
  readonly slot: number;
  readonly inSteps: InSteps;

  constructor(slot: number, steps: InSteps) {
    super();
    this.slot = slot;
    this.inSteps = steps;
  }
}

/** Without pauses too, for where the value is asked for between two of them. */
export function alsoAtOnce(inSteps: InSteps): Evaluation {
  return { evaluate: (row, run) => completed(inSteps(row, run)), inSteps };
}

export function withNeededValues(evaluate: Evaluate): InSteps {
  return function* (row, run) {
    const own = row.slice();
    for (;;) {
      try {
        return evaluate(own, run);
      } catch (error) {
        if (!(error instanceof NeededValue)) throw error;
        own[error.slot] = yield* error.inSteps(row, run);
      }
    }
  };
}
