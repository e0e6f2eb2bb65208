/** Builds a column of codes, row by row. *Hot path* of sealing. */
import type { PropertyValue } from '#graph/model';
import type { BufferBag } from '../array/buffer-bag.ts';
import type { CodeColumn, CodeColumnMeta } from '../column/code-column.ts';
import { valueEnd } from '../head/json-scan.ts';
import type { RawHeads } from './raw-heads.ts';

const VALUES_MAX = 65_535;
const VALUES_ALWAYS = 256;
const ROWS_PER_VALUE = 8;

/** Maximum number of distinct values of a column with a dictionary. */
export function dictionaryLimit(rows: number): number {
  return Math.min(VALUES_MAX, Math.max(VALUES_ALWAYS, Math.floor(rows / ROWS_PER_VALUE)));
}

export class DictionaryBuilder {
  /** Code of each row's value; 0 where it is missing. */
  readonly #codes: Uint32Array;
  readonly #values: PropertyValue[] = [];
  /** Codes by the value's JSON in UTF-8, with one character for each byte. */
  readonly #codeByText = new Map<string, number>();
  readonly #oldCodes = new Map<CodeColumn, Uint32Array>();
  readonly #limit: number;

  constructor(rows: number) {
    this.#codes = new Uint32Array(rows);
    this.#limit = dictionaryLimit(rows);
  }

  get isFull(): boolean {
    return this.#values.length > this.#limit;
  }

  /** The value at `place` in the row's head. */
  addText(row: number, heads: RawHeads, place: number): void {
    const bytes = heads.bytes(row);
    const at = heads.start(row) + place;
    this.#codes[row] = this.#code(bytes.toString('latin1', at, valueEnd(bytes, at)));
  }

  /** The value of an old row. */
  addOld(row: number, column: CodeColumn, oldRow: number): void {
    const oldCode = column.codes === undefined ? 0 : column.codes[oldRow]!;
    let map = this.#oldCodes.get(column);
    if (map === undefined) this.#oldCodes.set(column, (map = new Uint32Array(column.values.length)));
    if (map[oldCode] === 0) {
      const value = column.values[oldCode];
      if (value === undefined) return;
      map[oldCode] = this.#code(Buffer.from(JSON.stringify(value), 'utf8').toString('latin1'));
    }
    this.#codes[row] = map[oldCode]!;
  }

  /** Undefined if no row has the property. */
  finish(name: string, bag: BufferBag): CodeColumnMeta | undefined {
    if (this.#values.length === 0) return undefined;
    const hasMissing = this.#codes.includes(0);
    const codeCount = this.#values.length + (hasMissing ? 1 : 0);
    const shift = hasMissing ? 0 : 1;
    const offsets = bag.uint32(codeCount + 1);
    const meta = { kind: 'codes', name, hasMissing, values: this.#values, offsets: bag.last } as const;
    for (const code of this.#codes) offsets[code - shift + 1]!++;
    for (let code = 0; code < codeCount; code++) offsets[code + 1]! += offsets[code]!;
    if (codeCount === 1) return { ...meta, codes: null, rows: -1 };
    const codes = bag.unsigned(this.#codes.length, codeCount - 1);
    const codesPart = bag.refOf(codes);
    const rows = bag.uint32(this.#codes.length);
    const next = offsets.slice();
    for (let row = 0; row < codes.length; row++) {
      codes[row] = this.#codes[row]! - shift;
      rows[next[codes[row]!]!++] = row;
    }
    return { ...meta, codes: codesPart, rows: bag.last };
  }

  #code(text: string): number {
    const known = this.#codeByText.get(text);
    if (known !== undefined) return known;
    this.#values.push(JSON.parse(Buffer.from(text, 'latin1').toString('utf8')) as PropertyValue);
    this.#codeByText.set(text, this.#values.length);
    return this.#values.length;
  }
}
