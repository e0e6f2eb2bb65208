/**
 * A column of many distinct numbers: the values, and the rows ordered by value, for ranges.
 * *Hot path*.
 *
 *   values   f64 for each row, NaN if the property is missing
 *   order    u32: the rows with the property, by value, then row
 */
import type { FieldValue, ValueRange, ValueTest } from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import type { BufferBag } from '../array/buffer-bag.ts';
import {
  BOUND_VALUES_MAX,
  holdsByKind,
  type ValueBounds,
  type RowField,
  type KindCounts,
  mapped,
  passingRows,
} from './field.ts';
import { newBits, RowBits, RowNumbers, RowRange, type RowSet } from './row-set.ts';

export interface NumberColumnMeta {
  readonly kind: 'numbers';
  readonly name: string;
  readonly values: number;
  readonly order: number;
}

export class NumberColumn implements RowField {
  readonly kinds: KindCounts;
  readonly present: number;
  readonly #values: Float64Array;
  readonly #order: Uint32Array;

  constructor(meta: NumberColumnMeta, bag: BufferBag) {
    this.#values = bag.asFloat64(meta.values);
    this.#order = bag.asUint32(meta.order);
    this.present = this.#order.length;
    this.kinds = { number: this.present };
  }

  value(row: number): FieldValue {
    const value = this.#values[row]!;
    return Number.isNaN(value) ? undefined : value;
  }

  *rows(test: ValueTest): Steps<RowSet> {
    const size = this.#values.length;
    const spans = this.#spans(test) ?? (yield* this.#equalSpans(test));
    if (spans === undefined) return yield* passingRows(size, test, (row) => this.value(row));
    const count = spans.reduce((sum, [start, end]) => sum + end - start, 0);
    if (count === 0) return new RowRange(size, false);
    if (count * 32 > size) return this.#marked(spans);
    const rows = (yield* mapped(spans, ([start, end]) => [...this.#order.subarray(start, end)])).flat();
    return new RowNumbers(Uint32Array.from(new Set(rows)).sort(), size);
  }

  tester(test: ValueTest): (row: number) => boolean {
    return (row) => test.matches(this.value(row));
  }

  bounds(test: ValueTest): ValueBounds {
    const isShort = test.equals !== undefined && test.equals.length <= BOUND_VALUES_MAX;
    const spans = this.#spans(test) ?? (isShort ? completed(this.#equalSpans(test)) : undefined);
    if (spans === undefined) return { atLeast: 0, atMost: this.#values.length };
    const atMost = spans.reduce((sum, [start, end]) => sum + end - start, 0);
    return { atLeast: spans.length > 1 ? 0 : atMost, atMost };
  }

  grouping(): undefined {
    return undefined;
  }

  /** Ranges of `order` with exactly the matching rows; undefined if the test is not a range. */
  #spans(test: ValueTest): [number, number][] | undefined {
    if (test.exists === true || holdsByKind(test, this.kinds, this.present)) return [[0, this.present]];
    return test.range === undefined ? undefined : [this.#rangeSpan(test.range)];
  }

  /** The spans of rows that equal one of the test's values. */
  *#equalSpans({ equals }: ValueTest): Steps<[number, number][] | undefined> {
    if (equals === undefined) return undefined;
    const numbers = new Set(equals.filter((value) => typeof value === 'number'));
    return yield* mapped(numbers, (value) => [this.#first(value, true), this.#first(value, false)]);
  }

  #rangeSpan({ low, high, lowIncluded, highIncluded }: ValueRange): [number, number] {
    if (typeof low === 'string' || typeof high === 'string') return [0, 0];
    const start = low === undefined ? 0 : this.#first(low, lowIncluded);
    const end = high === undefined ? this.present : this.#first(high, !highIncluded);
    return [start, Math.max(start, end)];
  }

  /** The first position in the order with a value of at least `bound`, or (without `isIncluded`) above it. */
  #first(bound: number, isIncluded: boolean): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const value = this.#values[this.#order[middle]!]!;
      if (isIncluded ? value < bound : value <= bound) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #marked(spans: readonly [number, number][]): RowSet {
    const bits = newBits(this.#values.length);
    for (const [start, end] of spans) new RowNumbers(this.#order.subarray(start, end), 0).mark(bits);
    return new RowBits(bits, this.#values.length);
  }
}
