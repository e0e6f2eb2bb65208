/** Keys: the rows of a segment stand in their order, so that one is found by halving. *Hot path*. */
import type { ValueTest } from '#model';
import { keyAt, valueEnd, textBetween } from '../head/json-scan.ts';
import { compareUtf8 } from '../order/utf8-order.ts';
import { RowList, type RowSet } from '../rows/row-set.ts';
import { ComputedField } from './computed-field.ts';
import type { Bounds } from './field.ts';
import type { HeadRows } from './head-rows.ts';

export class KeyField extends ComputedField {
  readonly #heads: HeadRows;

  constructor(heads: HeadRows) {
    super((row) => this.key(row), heads.references.length);
    this.#heads = heads;
  }

  key(row: number): string {
    const bytes = this.#heads.bytes(row);
    const at = keyAt(bytes, this.#heads.start(row));
    return textBetween(bytes, at + 1, valueEnd(bytes, at) - 1);
  }

  /** The first row from `from` on whose key is not below the wanted one. */
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

  /** The same, looking near `from` first: for many keys in ascending order. */
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

  override rows(test: ValueTest): RowSet {
    if (test.equals === undefined) return super.rows(test);
    const size = this.#heads.references.length;
    const found = new Set<number>();
    for (const value of test.equals) {
      if (typeof value !== 'string') continue;
      const row = this.lowerBound(value);
      if (row < size && this.key(row) === value) found.add(row);
    }
    return new RowList(Uint32Array.from(found).sort(), size);
  }

  override bounds(test?: ValueTest): Bounds {
    const size = this.#heads.references.length;
    return { atLeast: 0, atMost: Math.min(size, test?.equals?.length ?? size) };
  }
}
