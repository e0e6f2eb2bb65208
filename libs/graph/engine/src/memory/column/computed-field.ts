/** Fields without a column of their own. */
import type { FieldValue, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import {
  type Bounds,
  type Field,
  type Grouping,
  type KindCounts,
  kindOf,
  passes,
  passingRows,
} from './field.ts';
import { RowRange, type RowSet } from './row-set.ts';

/** One value on every row: the type, or a property that no row has. */
export class ConstantField implements Field {
  readonly #value: FieldValue;
  readonly #size: number;

  constructor(value: FieldValue, size: number) {
    this.#value = value;
    this.#size = size;
  }

  get kinds(): KindCounts {
    const kind = kindOf(this.#value);
    return kind === undefined ? {} : { [kind]: this.#size };
  }

  value(): FieldValue {
    return this.#value;
  }

  *rows(test: ValueTest): Steps<RowSet> {
    return new RowRange(this.#size, yield* passes(test, this.#value));
  }

  tester(test: ValueTest): (row: number) => boolean {
    let isMatch: boolean | undefined;
    return () => (isMatch ??= test.matches(this.#value));
  }

  bounds(test: ValueTest): Bounds {
    const takesSteps = test.steps !== undefined;
    const isMatch = takesSteps ? (test.mayMatch?.(this.#value) ?? true) : test.matches(this.#value);
    const count = isMatch ? this.#size : 0;
    return { atLeast: takesSteps ? 0 : count, atMost: count };
  }

  grouping(): Grouping {
    return { groupOf: () => 0, values: [this.#value], sizes: [this.#size] };
  }
}

/** A text on every row, worked out when asked. */
export class ComputedField implements Field {
  readonly #valueOf: (row: number) => FieldValue;
  readonly #size: number;

  constructor(valueOf: (row: number) => FieldValue, size: number) {
    this.#valueOf = valueOf;
    this.#size = size;
  }

  get kinds(): KindCounts {
    return { string: this.#size };
  }

  value(row: number): FieldValue {
    return this.#valueOf(row);
  }

  rows(test: ValueTest): Steps<RowSet> {
    return passingRows(this.#size, test, this.#valueOf);
  }

  tester(test: ValueTest): (row: number) => boolean {
    return (row) => test.matches(this.#valueOf(row));
  }

  bounds(): Bounds {
    return { atLeast: 0, atMost: this.#size };
  }

  grouping(): undefined {
    return undefined;
  }
}
