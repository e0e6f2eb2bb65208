/**
 * A column of many distinct values: no dictionary, only the place of each value in its entity's head, and the
 * rows in the order of their values' hashes, for equality. *Hot path*.
 *
 *   places     u8 to u32 a row: distance of the value from the start of the head, 0: no such property
 *   hashes     u32 an entry, ascending: hash of the value's JSON; a list has an entry for each item
 *   hashRows   u32 an entry: the row
 */
import type { FieldValue, Scalar, ValueTest } from '#model';
import type { BufferBag, PartRef, UnsignedArray } from '../array/buffer-bag.ts';
import { valueAt } from '../head/json-scan.ts';
import { LazyRows, newBits, RowBits, RowList, type RowSet } from '../rows/row-set.ts';
import type { Bounds, Field, KindCounts } from './field.ts';
import type { HeadRows } from './head-rows.ts';
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

export class PlaceColumn implements Field {
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

  rows(test: ValueTest): RowSet {
    const size = this.places.length;
    if (test.exists === true)
      return new LazyRows({ count: this.present - this.#nulls, size }, (bits) => this.#markValues(bits));
    if (test.equals !== undefined) return new RowList(this.#equalRows(test), size);
    const bits = newBits(size);
    for (let row = 0; row < size; row++)
      if (test.matches(this.value(row))) bits[row >>> 5]! |= 1 << (row & 31);
    return new RowBits(bits, size);
  }

  tester(test: ValueTest): (row: number) => boolean {
    return (row) => test.matches(this.value(row));
  }

  bounds(test: ValueTest): Bounds {
    if (test.exists === true)
      return { atLeast: this.present - this.#nulls, atMost: this.present - this.#nulls };
    if (test.equals === undefined) return { atLeast: 0, atMost: this.places.length };
    let atMost = 0;
    for (const value of test.equals) {
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

  #equalRows(test: ValueTest): Uint32Array {
    const found = new Set<number>();
    for (const value of test.equals ?? []) {
      const [start, end] = this.#entries(value);
      for (let at = start; at < end; at++) found.add(this.#hashRows[at]!);
    }
    return Uint32Array.from(found)
      .filter((row) => test.matches(this.value(row)))
      .sort();
  }
}
