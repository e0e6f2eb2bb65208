/** Fields without a column; those of a stamp are on the *hot path*. */
import type { FieldValue, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { UnsignedArray } from '../array/buffer-bag.ts';
import { stampField, type StampTable } from '../stamp/stamp-table.ts';
import {
  type ValueBounds,
  type RowField,
  type ValueGrouping,
  type KindCounts,
  kindOf,
  passes,
  passingRows,
} from './field.ts';
import { RowRange, type RowSet } from './row-set.ts';

/** A field with the same value on every row: the type, or a property that no row has. */
export class ConstantField implements RowField {
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

  bounds(test: ValueTest): ValueBounds {
    const takesSteps = test.steps !== undefined;
    const isMatch = takesSteps ? (test.mayMatch?.(this.#value) ?? true) : test.matches(this.#value);
    const count = isMatch ? this.#size : 0;
    return { atLeast: takesSteps ? 0 : count, atMost: count };
  }

  grouping(): ValueGrouping {
    return { groupOf: () => 0, values: [this.#value], sizes: [this.#size] };
  }
}

/** A text on every row, computed on access. */
export class ComputedField implements RowField {
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

  bounds(): ValueBounds {
    return { atLeast: 0, atMost: this.#size };
  }

  grouping(): undefined {
    return undefined;
  }
}

/** Fields read from a row's stamp: a test runs once for each distinct stamp. *Hot path*. */
const IS_TRUE: ValueTest = { matches: (value) => value === true };

const UNKNOWN = 0;

const NO = 1;

const YES = 2;

export class StampField implements RowField {
  readonly #name: string;
  readonly #stampNumbers: UnsignedArray;
  readonly #stamps: StampTable;

  constructor(name: string, stampNumbers: UnsignedArray, stamps: StampTable) {
    this.#name = name;
    this.#stampNumbers = stampNumbers;
    this.#stamps = stamps;
  }

  get kinds(): KindCounts {
    return { string: this.#stampNumbers.length };
  }

  value(row: number): FieldValue {
    return stampField(this.#stamps.get(this.#stampNumbers[row]!), this.#name);
  }

  rows(test: ValueTest): Steps<RowSet> {
    const isPassing = this.tester(test);
    return passingRows(this.#stampNumbers.length, IS_TRUE, isPassing);
  }

  tester(test: ValueTest): (row: number) => boolean {
    const known = new Uint8Array(this.#stamps.length);
    const numbers = this.#stampNumbers;
    return (row) => {
      const number = numbers[row]!;
      if (known[number] === UNKNOWN) known[number] = test.matches(this.value(row)) ? YES : NO;
      return known[number] === YES;
    };
  }

  bounds(): ValueBounds {
    return { atLeast: 0, atMost: this.#stampNumbers.length };
  }

  grouping(): undefined {
    return undefined;
  }
}
