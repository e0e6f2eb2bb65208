/** Columns that grow row by row and reuse their memory after a reset. *Hot path*. */
import { assert } from '#platform/foundation';
import { VALUE_BYTES_MAX } from '../limits.ts';
import { FIXED_WIDTHS, isFixedKind, isNumberKind, rangeOf, type ColumnSpec } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';
import { FixedDictionary } from './fixed-dictionary.ts';

const FIRST_ROWS = 64;
const CUT_MARK = '…';
/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const TEXT_LENGTH_MAX = Math.floor(VALUE_BYTES_MAX / 3) - CUT_MARK.length;

export interface ColumnBuilder {
  /** Approximate bytes of texts and blobs since the last reset. */
  readonly variableBytes: number;
  append(row: number, value: unknown): void;
  /** The first `rowCount` rows, as views that are valid until the next call. */
  view(rowCount: number): Column;
  reset(): void;
}

export function columnBuilder(spec: ColumnSpec): ColumnBuilder {
  if (isNumberKind(spec.kind)) return new NumberBuilder(spec);
  if (isFixedKind(spec.kind)) return new FixedBuilder(spec, FIXED_WIDTHS[spec.kind]);
  return spec.kind === 'bytes' ? new BlobBuilder(spec) : new TextBuilder(spec);
}

class NumberBuilder implements ColumnBuilder {
  readonly variableBytes = 0;
  readonly #spec: ColumnSpec;
  readonly #least: number;
  readonly #most: number;
  #values = new Float64Array(FIRST_ROWS);

  constructor(spec: ColumnSpec) {
    this.#spec = spec;
    const { least, most } = rangeOf(spec.kind as 'i64');
    this.#least = least;
    this.#most = most;
  }

  append(row: number, value: unknown): void {
    if (value === null) {
      if (!this.#spec.isNullable) refuse(this.#spec, null);
    } else {
      const number = Number(value);
      const isFit = number >= this.#least && number <= this.#most && Math.floor(number) === number;
      if (!isFit) refuse(this.#spec, value);
    }
    if (row === this.#values.length) this.#values = grown(this.#values, new Float64Array(row * 2));
    // −0 becomes 0.
    this.#values[row] = value === null ? Number.NaN : Number(value) + 0;
  }

  view(rowCount: number): Column {
    return { form: 'number', values: this.#values.subarray(0, rowCount) };
  }

  reset(): void {
    // The next rows overwrite the old ones.
  }
}

class TextBuilder implements ColumnBuilder {
  variableBytes = 0;
  readonly #spec: ColumnSpec;
  readonly #codeOf = new Map<unknown, number>();
  #texts: string[] = [];
  #codes = new Int32Array(FIRST_ROWS);

  constructor(spec: ColumnSpec) {
    this.#spec = spec;
  }

  append(row: number, value: unknown): void {
    if (row === this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(row * 2));
    this.#codes[row] = value === null ? nullCode(this.#spec) : (this.#codeOf.get(value) ?? this.#add(value));
  }

  view(rowCount: number): Column {
    return { form: 'text', codes: this.#codes.subarray(0, rowCount), texts: this.#texts };
  }

  reset(): void {
    this.variableBytes = 0;
    this.#codeOf.clear();
    this.#texts = [];
  }

  #add(value: unknown): number {
    const { kind, choices } = this.#spec;
    const isFit = kind === 'wei' ? typeof value === 'bigint' : typeof value === 'string';
    if (!isFit || choices?.has(String(value)) === false) refuse(this.#spec, value);
    const text = String(value).toWellFormed();
    const code = this.#texts.push(
      text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX).toWellFormed() + CUT_MARK : text,
    );
    this.#codeOf.set(value, code - 1);
    this.variableBytes += text.length;
    return code - 1;
  }
}

class FixedBuilder implements ColumnBuilder {
  readonly variableBytes = 0;
  readonly #spec: ColumnSpec;
  readonly #width: number;
  readonly #isHash: boolean;
  readonly #values: FixedDictionary;
  /** The 32-bit words of one value. */
  readonly #words: Int32Array;
  #codes = new Int32Array(FIRST_ROWS);

  constructor(spec: ColumnSpec, width: number) {
    this.#spec = spec;
    this.#width = width;
    this.#isHash = spec.kind === 'bytes32';
    this.#values = new FixedDictionary(width);
    this.#words = new Int32Array(width / 4);
  }

  append(row: number, value: unknown): void {
    if (row === this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(row * 2));
    if (value === null) {
      this.#codes[row] = nullCode(this.#spec);
      return;
    }
    if (!(value instanceof Uint8Array) || value.length !== this.#width) refuse(this.#spec, value);
    const words = this.#words;
    for (let word = 0, at = 0; word < words.length; word++, at += 4) {
      words[word] = value[at]! | (value[at + 1]! << 8) | (value[at + 2]! << 16) | (value[at + 3]! << 24);
    }
    // Hashes do not repeat: a look-up would not pay.
    this.#codes[row] = this.#isHash ? this.#values.append(words, 0) : this.#values.codeOf(words, 0);
  }

  view(rowCount: number): Column {
    const codes = this.#codes.subarray(0, rowCount);
    return { form: 'fixed', codes, width: this.#width, bytes: this.#values.bytes };
  }

  reset(): void {
    this.#values.clear();
  }
}

class BlobBuilder implements ColumnBuilder {
  variableBytes = 0;
  readonly #spec: ColumnSpec;
  #blobs: Uint8Array[] = [];
  #codes = new Int32Array(FIRST_ROWS);

  constructor(spec: ColumnSpec) {
    this.#spec = spec;
  }

  append(row: number, value: unknown): void {
    if (row === this.#codes.length) this.#codes = grown(this.#codes, new Int32Array(row * 2));
    if (value === null) {
      this.#codes[row] = nullCode(this.#spec);
      return;
    }
    if (!(value instanceof Uint8Array) || value.length > VALUE_BYTES_MAX) refuse(this.#spec, value);
    this.variableBytes += value.length;
    this.#codes[row] = this.#blobs.push(value.slice()) - 1;
  }

  view(rowCount: number): Column {
    return { form: 'blob', codes: this.#codes.subarray(0, rowCount), blobs: this.#blobs };
  }

  reset(): void {
    this.variableBytes = 0;
    this.#blobs = [];
  }
}

function nullCode(spec: ColumnSpec): number {
  if (!spec.isNullable) refuse(spec, null);
  return -1;
}

function refuse({ name, kind }: ColumnSpec, value: unknown): never {
  const came = value instanceof Uint8Array ? `${value.length} bytes` : String(value);
  assert(false, `expected a value of ${name}, which is ${kind}, got ${came}`);
}

function grown<Values extends Float64Array | Int32Array>(values: Values, larger: Values): Values {
  larger.set(values);
  return larger;
}
