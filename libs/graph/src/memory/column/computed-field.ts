/** Fields without a column of their own. */
import type { FieldValue, ValueTest } from '#model';
import { newBits, RowBits, RowRange, type RowSet } from '../rows/row-set.ts';
import { type Bounds, type Field, type Grouping, type KindCounts, kindOf } from './field.ts';

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

  rows(test: ValueTest): RowSet {
    return new RowRange(this.#size, test.matches(this.#value));
  }

  tester(test: ValueTest): (row: number) => boolean {
    const isMatch = test.matches(this.#value);
    return () => isMatch;
  }

  bounds(test: ValueTest): Bounds {
    const count = test.matches(this.#value) ? this.#size : 0;
    return { atLeast: count, atMost: count };
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

  rows(test: ValueTest): RowSet {
    const bits = newBits(this.#size);
    for (let row = 0; row < this.#size; row++) {
      const index = row >>> 5;
      if (test.matches(this.#valueOf(row))) bits[index] = (bits[index] ?? 0) | (1 << (row & 31));
    }
    return new RowBits(bits, this.#size);
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
