import type { FieldValue, ValueKind, ValueTest } from '#model';
import type { RowSet } from '../rows/row-set.ts';

export interface Bounds {
  readonly atLeast: number;
  readonly atMost: number;
}

export type KindCounts = Partial<Record<ValueKind, number>>;

/** One group of equal values. */
export interface Grouping {
  /** Group of each row. */
  groupOf(row: number): number;
  readonly values: readonly FieldValue[];
  /** Sizes of the groups over all rows, where they are known. */
  readonly sizes: ArrayLike<number> | undefined;
}

/** A field over the rows of one segment: a property's column, or one of the record's own fields. */
export interface Field {
  value(row: number): FieldValue;
  rows(test: ValueTest): RowSet;
  tester(test: ValueTest): (row: number) => boolean;
  /** From statistics alone: never walks rows. */
  bounds(test: ValueTest): Bounds;
  /** Undefined where values are not known in advance. */
  grouping(): Grouping | undefined;
  /** Number of rows with a value of each kind, where that is known. */
  readonly kinds: KindCounts;
}

export function kindOf(value: FieldValue): ValueKind | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object') return typeof value as ValueKind;
  const first = value.find((item) => item !== null);
  return first === undefined ? undefined : (`${typeof first}[]` as ValueKind);
}
