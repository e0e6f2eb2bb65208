/**
 * A column of few distinct values: a dictionary of this segment and property, a code for each row, and a
 * posting list for each code. A test runs once for each distinct value, and counting is a subtraction of
 * offsets. *Hot path*.
 *
 *   codes     u8 to u32 for each row; omitted if there is only one value
 *   offsets   u32 for each code, and the end: the position of its first row
 *   rows      u32: the rows by code, ascending within a code; also omitted if there is only one value
 *
 * Code 0 means a missing property, if any row lacks it.
 */
import type { FieldValue, PropertyValue, ValueTest } from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import type { BufferBag, PartRef, UnsignedArray } from '../array/buffer-bag.ts';
import { CodePairs } from './code-pairs.ts';
import {
  BOUND_VALUES_MAX,
  type ValueBounds,
  type RowField,
  type ValueGrouping,
  type KindCounts,
  kindOf,
  mapped,
  passingRows,
} from './field.ts';
import { LazyRows, type Membership, RowNumbers, RowRange, type RowSet } from './row-set.ts';

export interface CodeColumnMeta {
  readonly kind: 'codes';
  readonly name: string;
  readonly hasMissing: boolean;
  readonly values: readonly PropertyValue[];
  /** Null: a single value, without codes and rows. */
  readonly codes: PartRef | null;
  readonly offsets: number;
  readonly rows: number;
}

const FEW_CODES = 8;
/** Maximum number of values that are tested one by one for a bound. */
const BOUND_TEXTS_MAX = 64;
const UNKNOWN = 0;
const NO = 1;
const YES = 2;
const NO_ROWS = new Uint32Array(0);

export class CodeColumn implements RowField {
  readonly values: readonly FieldValue[];
  readonly codes: UnsignedArray | undefined;
  readonly offsets: Uint32Array;
  readonly #rows: Uint32Array = NO_ROWS;
  readonly #size: number;
  readonly #hasMissing: boolean;
  readonly #hasLists: boolean;
  /** Codes of values other than missing and null. */
  #existing: readonly number[] | undefined;
  #absent: readonly number[] | undefined;
  #grouping: ValueGrouping | undefined;
  #codeByValue: Map<FieldValue, number> | undefined;
  readonly #pairs = new Map<CodeColumn, CodePairs>();

  constructor(meta: CodeColumnMeta, size: number, bag: BufferBag) {
    this.values = meta.hasMissing ? [undefined, ...meta.values] : meta.values;
    this.offsets = bag.asUint32(meta.offsets);
    if (meta.codes !== null) {
      this.codes = bag.asUnsigned(meta.codes);
      this.#rows = bag.asUint32(meta.rows);
    }
    this.#size = size;
    this.#hasMissing = meta.hasMissing;
    this.#hasLists = meta.values.some(Array.isArray);
  }

  get kinds(): KindCounts {
    const kinds: KindCounts = {};
    this.values.forEach((value, code) => {
      const kind = kindOf(value);
      if (kind !== undefined) kinds[kind] = (kinds[kind] ?? 0) + this.#sizeOf(code);
    });
    return kinds;
  }

  /** Rows with the property, including null. */
  get present(): number {
    return this.#hasMissing ? this.#size - this.#sizeOf(0) : this.#size;
  }

  value(row: number): FieldValue {
    return this.values[this.codes === undefined ? 0 : this.codes[row]!];
  }

  *rows(test: ValueTest): Steps<RowSet> {
    return this.#rowsOf(yield* this.#matching(test));
  }

  rowsAtOnce({ exists, equals }: ValueTest): RowSet | undefined {
    if (exists === true) return this.#rowsOf((this.#existing ??= this.#findExisting()));
    if (equals?.length !== 1 || this.#hasLists || this.#codeByValue === undefined) return undefined;
    const code = this.#codeByValue.get(equals[0]);
    return this.#rowsOf(code === undefined ? NO_ROWS : [code]);
  }

  /** Tests a value when the first row with it is read. */
  tester(test: ValueTest): (row: number) => boolean {
    const known = new Uint8Array(this.values.length);
    const codes = this.codes;
    return (row) => {
      const code = codes === undefined ? 0 : codes[row]!;
      if (known[code] === UNKNOWN) known[code] = test.matches(this.values[code]) ? YES : NO;
      return known[code] === YES;
    };
  }

  bounds(test: ValueTest): ValueBounds {
    if (this.#takesLong(test)) return { atLeast: 0, atMost: this.#size };
    if (test.steps !== undefined) return { atLeast: 0, atMost: this.#countOf(this.#mayMatch(test)) };
    const count = this.#countOf(completed(this.#matching(test)));
    return { atLeast: count, atMost: count };
  }

  /** The number of rows with one code here and one in another column, where known without reading rows. */
  countShared(code: number, other: CodeColumn, otherCode: number): number | undefined {
    if (other === this) return code === otherCode ? this.#sizeOf(code) : 0;
    const rows = Math.min(this.#sizeOf(code), other.#sizeOf(otherCode));
    const reverse = other.#pairs.get(this);
    if (reverse !== undefined) return reverse.count(otherCode, code, rows);
    return this.#pairsWith(other)?.count(code, otherCode, rows);
  }

  #pairsWith(other: CodeColumn): CodePairs | undefined {
    const known = this.#pairs.get(other);
    if (known !== undefined || this.codes === undefined || other.codes === undefined) return known;
    const pairs = new CodePairs(this.codes, this.values.length, other.codes, other.values.length);
    this.#pairs.set(other, pairs);
    return pairs;
  }

  grouping(): ValueGrouping {
    return (this.#grouping ??= this.#findGrouping());
  }

  #findGrouping(): ValueGrouping {
    const { values, codes, offsets } = this;
    const sizes = new Uint32Array(values.length);
    for (let code = 0; code < sizes.length; code++) sizes[code] = offsets[code + 1]! - offsets[code]!;
    return { groupOf: codes === undefined ? () => 0 : (row) => codes[row]!, values, sizes };
  }

  #sizeOf(code: number): number {
    return this.offsets[code + 1]! - this.offsets[code]!;
  }

  #countOf(codes: ArrayLike<number>): number {
    let count = 0;
    for (let at = 0; at < codes.length; at++) count += this.#sizeOf(codes[at]!);
    return count;
  }

  /** Ascending. */
  *#matching(test: ValueTest): Steps<ArrayLike<number>> {
    if (test.exists === true) return (this.#existing ??= this.#findExisting());
    if (test.equals !== undefined && !this.#hasLists) return yield* this.#codesOf(test.equals);
    const { values } = this;
    return (yield* passingRows(values.length, test, (code) => values[code])).list();
  }

  /** Whether there are too many values for a bound. */
  #takesLong(test: ValueTest): boolean {
    if (test.exists === true) return false;
    if (test.equals !== undefined && !this.#hasLists) return test.equals.length > BOUND_VALUES_MAX;
    return this.values.length > (test.steps === undefined ? BOUND_VALUES_MAX : BOUND_TEXTS_MAX);
  }

  #mayMatch(test: ValueTest): readonly number[] {
    return [...this.values.keys()].filter((code) => test.mayMatch?.(this.values[code]) ?? true);
  }

  #findExisting(): readonly number[] {
    return [...this.values.keys()].filter(
      (code) => this.values[code] !== undefined && this.values[code] !== null,
    );
  }

  *#codesOf(wanted: readonly FieldValue[]): Steps<Uint32Array> {
    const codes = this.#codeByValue ?? new Map(yield* mapped(this.values.entries(), swapped));
    this.#codeByValue = codes;
    const found = yield* mapped(wanted, (value) => codes.get(value) ?? -1);
    return Uint32Array.from(new Set(found.filter((code) => code >= 0))).sort();
  }

  #rowsOf(codes: ArrayLike<number>): RowSet {
    const size = this.#size;
    if (codes.length === 0 || codes.length === this.values.length)
      return new RowRange(size, codes.length > 0);
    if (codes.length === 1) {
      const code = codes[0]!;
      const membership = this.codes && new OneCode(this, this.codes, code);
      return new RowNumbers(this.#posting(code), size, membership);
    }
    const membership = this.codes && new CodeMembership(this.codes, () => this.#flagsOf(codes));
    const complement = (): RowSet => this.#complementOf(codes);
    const facts = { count: this.#countOf(codes), size, complement, ...(membership && { membership }) };
    return new LazyRows(facts, (bits) => {
      this.#markCodes(codes, bits);
    });
  }

  #posting(code: number): Uint32Array {
    return this.#rows.subarray(this.offsets[code], this.offsets[code + 1]);
  }

  #complementOf(codes: ArrayLike<number>): RowSet {
    const isExisting = codes === this.#existing;
    return this.#rowsOf(isExisting ? (this.#absent ??= this.#othersOf(codes)) : this.#othersOf(codes));
  }

  #othersOf(codes: ArrayLike<number>): readonly number[] {
    const others: number[] = [];
    const flags = this.#flagsOf(codes);
    for (let code = 0; code < flags.length; code++) if (flags[code] === 0) others.push(code);
    return others;
  }

  #flagsOf(codes: ArrayLike<number>): Uint8Array {
    const flags = new Uint8Array(this.values.length);
    for (let at = 0; at < codes.length; at++) flags[codes[at]!] = 1;
    return flags;
  }

  /** Sets the bits of the codes' rows. */
  #markCodes(codes: ArrayLike<number>, bits: Uint32Array): void {
    if (codes.length <= FEW_CODES) {
      for (let at = 0; at < codes.length; at++)
        new RowNumbers(this.#posting(codes[at]!), this.#size).mark(bits);
      return;
    }
    const flags = this.#flagsOf(codes);
    const all = this.codes ?? NO_ROWS;
    for (let row = 0; row < all.length; row++)
      if (flags[all[row]!] === 1) bits[row >>> 5]! |= 1 << (row & 31);
  }
}

/** Compares with a single code. */
class OneCode implements Membership {
  readonly #column: CodeColumn;
  readonly #codes: UnsignedArray;
  readonly #code: number;

  constructor(column: CodeColumn, codes: UnsignedArray, code: number) {
    this.#column = column;
    this.#codes = codes;
    this.#code = code;
  }

  has(row: number): boolean {
    return this.#codes[row] === this.#code;
  }

  countAmong(rows: Uint32Array): number {
    const codes = this.#codes;
    if (codes instanceof Uint8Array) return countOfBytes(codes, this.#code, rows);
    let count = 0;
    for (let at = 0; at < rows.length; at++) count += codes[rows[at]!] === this.#code ? 1 : 0;
    return count;
  }

  countShared(other: Membership): number | undefined {
    if (!(other instanceof OneCode)) return undefined;
    return this.#column.countShared(this.#code, other.#column, other.#code);
  }
}

/** A loop over one array type, the usual one: with several types, each access is slower. */
function countOfBytes(codes: Uint8Array, code: number, rows: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < rows.length; at++) count += codes[rows[at]!] === code ? 1 : 0;
  return count;
}

/** Tests the code of a row, without a scan of posting lists. */
class CodeMembership implements Membership {
  readonly #codes: UnsignedArray;
  readonly #flagsOf: () => Uint8Array;
  #flags: Uint8Array | undefined;

  /** `flagsOf` returns 1 for each selected code. */
  constructor(codes: UnsignedArray, flagsOf: () => Uint8Array) {
    this.#codes = codes;
    this.#flagsOf = flagsOf;
  }

  has(row: number): boolean {
    return (this.#flags ??= this.#flagsOf())[this.#codes[row]!] === 1;
  }

  countAmong(rows: Uint32Array): number {
    const codes = this.#codes;
    const flags = (this.#flags ??= this.#flagsOf());
    let count = 0;
    for (let at = 0; at < rows.length; at++) count += flags[codes[rows[at]!]!]!;
    return count;
  }
}

function swapped([code, value]: [number, FieldValue]): [FieldValue, number] {
  return [value, code];
}
