/**
 * A column of many distinct values: no dictionary, only the place of each value in its entity's head, and the
 * rows in the order of their values' hashes, for equality. *Hot path*.
 *
 *   places     u8 to u32 a row: distance of the value from the start of the head, 0: no such property
 *   hashes     u32 an entry, ascending: hash of the value's JSON; a list has an entry for each item
 *   hashRows   u32 an entry: the row
 */
import type { FieldValue, Scalar, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { BufferBag, PartRef, UnsignedArray } from '../array/buffer-bag.ts';
import { valueAt } from '../head/json-scan.ts';
import {
  BOUND_VALUES_MAX,
  type ValueBounds,
  type RowField,
  type KindCounts,
  mapped,
  passingRows,
} from './field.ts';
import type { HeadRows } from './head-rows.ts';
import { LazyRows, RowNumbers, type RowSet } from './row-set.ts';
import { hashBytes, lowerBound } from './value-hash.ts';

export interface PlaceColumnMeta {
  readonly kind: 'places';
  readonly name: string;
  readonly places: PartRef;
  readonly hashes: number;
  readonly hashRows: number;
  readonly kinds: KindCounts;
  /** Rows with the property; with null there. */
  readonly present: number;
  readonly nulls: number;
}

export class PlaceColumn implements RowField {
  readonly kinds: KindCounts;
  readonly present: number;
  readonly places: UnsignedArray;
  readonly #nulls: number;
  readonly #hashes: Uint32Array;
  readonly #hashRows: Uint32Array;
  readonly #heads: HeadRows;

  constructor(meta: PlaceColumnMeta, heads: HeadRows, bag: BufferBag) {
    this.kinds = meta.kinds;
    this.present = meta.present;
    this.#nulls = meta.nulls;
    this.places = bag.asUnsigned(meta.places);
    this.#hashes = bag.asUint32(meta.hashes);
    this.#hashRows = bag.asUint32(meta.hashRows);
    this.#heads = heads;
  }

  value(row: number): FieldValue {
    const place = this.places[row]!;
    if (place === 0) return undefined;
    return valueAt(this.#heads.bytes(row), this.#heads.start(row) + place);
  }

  *rows(test: ValueTest): Steps<RowSet> {
    const size = this.places.length;
    if (test.exists === true)
      return new LazyRows({ count: this.present - this.#nulls, size }, (bits) => this.#markValues(bits));
    if (test.equals !== undefined) return new RowNumbers(yield* this.#equalRows(test.equals, test), size);
    return yield* passingRows(size, test, (row) => this.value(row));
  }

  tester(test: ValueTest): (row: number) => boolean {
    return (row) => test.matches(this.value(row));
  }

  bounds(test: ValueTest): ValueBounds {
    if (test.exists === true)
      return { atLeast: this.present - this.#nulls, atMost: this.present - this.#nulls };
    const { equals = [] } = test;
    if (equals.length === 0 || equals.length > BOUND_VALUES_MAX)
      return { atLeast: 0, atMost: this.places.length };
    let atMost = 0;
    for (const value of equals) {
      const [low, high] = this.#entries(value);
      atMost += high - low;
    }
    return { atLeast: 0, atMost: Math.min(atMost, this.places.length) };
  }

  grouping(): undefined {
    return undefined;
  }

  #markValues(bits: Uint32Array): void {
    const places = this.places;
    for (let row = 0; row < places.length; row++) {
      if (places[row] === 0 || (this.#nulls > 0 && this.value(row) === null)) continue;
      bits[row >>> 5]! |= 1 << (row & 31);
    }
  }

  #entries(value: Scalar): [number, number] {
    const json = Buffer.from(JSON.stringify(value), 'utf8');
    const hash = hashBytes(json, 0, json.length);
    let end = lowerBound(this.#hashes, hash);
    const start = end;
    while (this.#hashes[end] === hash) end++;
    return [start, end];
  }

  *#equalRows(equals: readonly Scalar[], test: ValueTest): Steps<Uint32Array> {
    const candidates = yield* mapped(equals, (value) => {
      const [start, end] = this.#entries(value);
      return [...this.#hashRows.subarray(start, end)];
    });
    const isEqual = (row: number): boolean => test.matches(this.value(row));
    const distinct = [...new Set(candidates.flat())];
    const found = yield* mapped(distinct, (row) => (isEqual(row) ? row : -1));
    return Uint32Array.from(found.filter((row) => row >= 0)).sort();
  }
}
