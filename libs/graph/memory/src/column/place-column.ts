/**
 * A column of many distinct values. Instead of a dictionary it has the place of each value in its entity's
 * head, and an index of the hashes, for equality. *Hot path*.
 *
 *   places   u8 to u32 for each row: offset of the value in the head; 0: property missing
 *   index    rows by the hash of the value's JSON; a list has an entry for each item
 */
import type { FieldValue, Scalar, ValueTest } from '#graph/model';
import type { Steps } from '#platform/foundation';
import type { BufferBag, PartRef, UnsignedArray } from '../array/buffer-bag.ts';
import { valueAt } from '../head/json-scan.ts';
import { HashIndex, type HashIndexMeta } from '../name/hash-index.ts';
import {
  BOUND_VALUES_MAX,
  holdsByKind,
  type KindCounts,
  passingRows,
  type RowField,
  type ValueBounds,
} from './field.ts';
import type { HeadRows } from './head-rows.ts';
import { LazyRows, RowNumbers, type RowSet } from './row-set.ts';
import { hashBytes } from './value-hash.ts';

export interface PlaceColumnMeta {
  readonly kind: 'places';
  readonly name: string;
  readonly places: PartRef;
  /** Length of the prefix of a head that contains the value and the byte after it. */
  readonly reach: number;
  readonly index: HashIndexMeta;
  readonly kinds: KindCounts;
  /** Rows with the property; rows with null. */
  readonly present: number;
  readonly nulls: number;
}

/** The entries in `[start, end)` with the hash of a value. */
interface Entries {
  readonly value: Scalar;
  readonly json: Uint8Array;
  readonly hash: number;
  readonly start: number;
  readonly end: number;
}

const ENTRIES_PER_STEP = 64;
const [OPENING_BRACKET, CLOSING_BRACE, COMMA] = [0x5b, 0x7d, 0x2c];

export class PlaceColumn implements RowField {
  readonly kinds: KindCounts;
  readonly present: number;
  readonly places: UnsignedArray;
  readonly #nulls: number;
  readonly #reach: number;
  readonly #index: HashIndex;
  readonly #heads: HeadRows;
  #asked: Entries | undefined;

  constructor(meta: PlaceColumnMeta, heads: HeadRows, bag: BufferBag) {
    this.kinds = meta.kinds;
    this.present = meta.present;
    this.#nulls = meta.nulls;
    this.places = bag.asUnsigned(meta.places);
    this.#reach = meta.reach;
    this.#index = new HashIndex(meta.index, bag);
    this.#heads = heads;
  }

  value(row: number): FieldValue {
    const place = this.places[row]!;
    if (place === 0) return undefined;
    const { bytes, start } = this.#heads.readBody(row, this.#reach);
    return valueAt(bytes, start + place);
  }

  *rows(test: ValueTest): Steps<RowSet> {
    const size = this.places.length;
    const count = this.present - this.#nulls;
    if (test.exists === true || holdsByKind(test, this.kinds, count))
      return new LazyRows({ count, size }, (bits) => this.#markValues(bits));
    if (test.equals !== undefined) return new RowNumbers(yield* this.#equalRows(test.equals, test), size);
    return yield* passingRows(size, test, (row) => this.value(row));
  }

  tester(test: ValueTest): (row: number) => boolean {
    return test.exists === true ? (row) => this.#hasValue(row) : (row) => test.matches(this.value(row));
  }

  bounds(test: ValueTest): ValueBounds {
    if (test.exists === true)
      return { atLeast: this.present - this.#nulls, atMost: this.present - this.#nulls };
    const { equals = [] } = test;
    if (equals.length === 0 || equals.length > BOUND_VALUES_MAX)
      return { atLeast: 0, atMost: this.places.length };
    let atMost = 0;
    for (const value of equals) {
      const { start, end } = this.#entries(value);
      atMost += end - start;
    }
    return { atLeast: 0, atMost: Math.min(atMost, this.places.length) };
  }

  grouping(): undefined {
    return undefined;
  }

  /** Whether it has another value than null. */
  #hasValue(row: number): boolean {
    return this.places[row] !== 0 && (this.#nulls === 0 || this.value(row) !== null);
  }

  #markValues(bits: Uint32Array): void {
    const places = this.places;
    for (let row = 0; row < places.length; row++) {
      if (!this.#hasValue(row)) continue;
      bits[row >>> 5]! |= 1 << (row & 31);
    }
  }

  /**
   * The range of a value's entries, with few others. An estimate is usually followed by the look-up, so the
   * last range is cached.
   */
  #entries(value: Scalar): Entries {
    if (this.#asked?.value === value) return this.#asked;
    const json = Buffer.from(JSON.stringify(value), 'utf8');
    const hash = hashBytes(json, 0, json.length);
    const start = this.#index.first(hash);
    let end = start;
    while (this.#index.at(end, hash) >= 0) end++;
    return (this.#asked = { value, json, hash, start, end });
  }

  *#equalRows(equals: readonly Scalar[], test: ValueTest): Steps<Uint32Array> {
    let found = new Uint32Array(0);
    let [count, looked] = [0, 0];
    for (const value of equals) {
      const { json, hash, start, end } = this.#entries(value);
      found = withRoom(found, count + end - start);
      for (let at = start; at < end; at++) {
        const row = this.#index.at(at, hash);
        if (this.#holds(row, json, test)) found[count++] = row;
        if (++looked % ENTRIES_PER_STEP === 0) yield;
      }
    }
    return distinct(count === found.length ? found : found.slice(0, count));
  }

  /** Whether a row has the value with this JSON, or a passing list. */
  #holds(row: number, json: Uint8Array, test: ValueTest): boolean {
    const head = this.#heads.readBody(row, this.#reach);
    const { bytes } = head;
    const start = head.start + this.places[row]!;
    if (bytes[start] === OPENING_BRACKET) return test.matches(valueAt(bytes, start));
    for (let at = 0; at < json.length; at++) if (bytes[start + at] !== json[at]) return false;
    const next = bytes[start + json.length];
    return next === COMMA || next === CLOSING_BRACE;
  }
}

/**
 * Grows the array: to the exact length for a single value, the usual case, and by doubling for more values.
 */
function withRoom(rows: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= rows.length) return rows;
  const grown = new Uint32Array(rows.length === 0 ? length : Math.max(length, rows.length * 2));
  grown.set(rows);
  return grown;
}

/** Sorts and deduplicates the rows: a list of values may match more than once. */
function distinct(rows: Uint32Array): Uint32Array {
  let isAscending = true;
  for (let at = 1; at < rows.length; at++) if (rows[at - 1]! >= rows[at]!) isAscending = false;
  return isAscending ? rows : Uint32Array.from(new Set(rows.sort()));
}
