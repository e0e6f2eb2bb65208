/**
 * The field of keys. The rows of a segment are sorted by key, so that positions are found by binary search.
 * The row of a complete key is found by the id of type and key. *Hot path*.
 */
import type { ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { keyAt, valueEnd, textBetween } from '../head/json-scan.ts';
import { compareUtf8 } from '../name/utf8-order.ts';
import { ComputedField } from './computed-field.ts';
import { type ValueBounds, mapped } from './field.ts';
import type { HeadRows } from './head-rows.ts';
import { RowNumbers, RowRange, type RowSet } from './row-set.ts';

export class KeyField extends ComputedField {
  readonly #heads: HeadRows;
  readonly #rowOf: (key: string) => number;

  /** `rowOf` returns −1 for an unknown key. */
  constructor(heads: HeadRows, rowOf: (key: string) => number) {
    super((row) => this.key(row), heads.references.length);
    this.#heads = heads;
    this.#rowOf = rowOf;
  }

  key(row: number): string {
    const { bytes, start } = this.#heads.readBody(row);
    const at = keyAt(bytes, start);
    return textBetween(bytes, at + 1, valueEnd(bytes, at) - 1);
  }

  /** The first row from `from` on with a key greater than or equal to the given one. */
  lowerBound(wanted: string, from = 0, to = this.#heads.references.length): number {
    let low = from;
    let high = to;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareUtf8(this.key(middle), wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Like `lowerBound`, by galloping from `from`: faster for many keys in ascending order. */
  gallop(wanted: string, from: number): number {
    const end = this.#heads.references.length;
    let low = from;
    let step = 1;
    while (low + step <= end && compareUtf8(this.key(low + step - 1), wanted) < 0) {
      low += step;
      step *= 2;
    }
    return this.lowerBound(wanted, low, Math.min(end, low + step - 1));
  }

  override *rows(test: ValueTest): Steps<RowSet> {
    const found = this.rowsAtOnce(test);
    if (found !== undefined) return found;
    if (test.equals === undefined) return yield* super.rows(test);
    const size = this.#heads.references.length;
    const rows = yield* mapped(test.equals, (value) => this.#row(value));
    const distinct = new Set(rows.filter((row) => row >= 0));
    return new RowNumbers(Uint32Array.from(distinct).sort(), size);
  }

  /** Answers tests for one key; others need steps. */
  rowsAtOnce({ equals }: ValueTest): RowSet | undefined {
    if (equals?.length !== 1) return undefined;
    const size = this.#heads.references.length;
    const row = this.#row(equals[0]);
    return row < 0 ? new RowRange(size, false) : new RowNumbers(Uint32Array.of(row), size);
  }

  #row(key: unknown): number {
    return typeof key === 'string' ? this.#rowOf(key) : -1;
  }

  override bounds(test?: ValueTest): ValueBounds {
    const size = this.#heads.references.length;
    return { atLeast: 0, atMost: Math.min(size, test?.equals?.length ?? size) };
  }
}
