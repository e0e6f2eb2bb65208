/** The interface of all columns. *Hot path*. */
import type { FieldValue, ValueKind, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { newBits, RowBits, type RowSet } from './row-set.ts';

export interface ValueBounds {
  readonly atLeast: number;
  readonly atMost: number;
}

export type KindCounts = Partial<Record<ValueKind, number>>;

/** One group of equal values. */
export interface ValueGrouping {
  /** The group of each row. */
  groupOf(row: number): number;
  readonly values: readonly FieldValue[];
  /** Sizes of the groups over all rows, if known. */
  readonly sizes: ArrayLike<number> | undefined;
}

/** A field over the rows of one segment: a property's column, or one of the record's own fields. */
export interface RowField {
  value(row: number): FieldValue;
  rows(test: ValueTest): Steps<RowSet>;
  /** The result of `rows` at once, if an index suffices; undefined if rows must be scanned in steps. */
  rowsAtOnce?(test: ValueTest): RowSet | undefined;
  tester(test: ValueTest): (row: number) => boolean;
  /** Uses statistics only: never scans rows. */
  bounds(test: ValueTest): ValueBounds;
  /** Undefined if the values are not known in advance. */
  grouping(): ValueGrouping | undefined;
  /** Number of rows with a value of each kind, if known. */
  readonly kinds: KindCounts;
}

const ROWS_PER_STEP = 64;

/** Maximum number of values that are looked up one by one for a bound. */
export const BOUND_VALUES_MAX = 1_024;

/** The rows, out of `size`, with passing values. */
export function* passingRows(
  size: number,
  test: ValueTest,
  valueOf: (row: number) => FieldValue,
): Steps<RowSet> {
  const bits = newBits(size);
  for (let row = 0; row < size; row++) {
    const value = valueOf(row);
    const passes = test.steps === undefined ? test.matches(value) : yield* test.steps(value);
    if (passes) bits[row >>> 5]! |= 1 << (row & 31);
    if (row % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
  }
  return new RowBits(bits, size);
}

/** Whether one value passes. */
export function* passes(test: ValueTest, value: FieldValue): Steps<boolean> {
  return test.steps === undefined ? test.matches(value) : yield* test.steps(value);
}

/** Maps the items with `each`, in order. */
export function* mapped<Item, T>(items: Iterable<Item>, each: (item: Item) => T): Steps<T[]> {
  const results: T[] = [];
  for (const item of items) {
    results.push(each(item));
    if (results.length % ROWS_PER_STEP === 0) yield;
  }
  return results;
}

/** Whether a test holds for all values of a column, `values` in number, by the kinds of them alone. */
export function holdsByKind({ kinds }: ValueTest, ofColumn: KindCounts, values: number): boolean {
  if (kinds === undefined) return false;
  return kinds.reduce((sum, kind) => sum + (ofColumn[kind] ?? 0), 0) === values;
}

export function kindOf(value: FieldValue): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return typeof value as ValueKind;
  const first = value.find((item) => item !== null);
  return first === undefined ? undefined : (`${typeof first}[]` as ValueKind);
}
