/** Decodes the column chunks of a row group to columns. *Hot path*. */
import { wireFault, type ByteReader } from '../bytes/byte-reader.ts';
import { ENCODING } from '../parquet/chunk-pages.ts';
import { HEX_PREFIX } from '../parquet/value-dictionary.ts';
import { FIXED_WIDTHS, isFixedKind, isNumberKind, type ColumnSpec } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';
import type { Page } from './chunk-reader.ts';
import { readHybrid, readLevels } from './hybrid-codes.ts';
import { readPacked } from './packed-numbers.ts';

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes a column of `rows` rows. Throws WIRE_FORMAT if its pages have another number of rows. */
export function columnOf(spec: ColumnSpec, pages: Iterable<Page>, rows: number): Column {
  if (isNumberKind(spec.kind)) return { form: 'number', values: readNumbers(spec, pages, rows) };
  const codes = new Int32Array(rows);
  if (isFixedKind(spec.kind)) {
    const width = FIXED_WIDTHS[spec.kind];
    const digits = readCoded(spec, pages, codes).map((value) => hexDigits(value, width));
    const bytes = Buffer.from(digits.join(''), 'hex');
    if (bytes.length !== digits.length * width) throw wireFault('expected hexadecimal digits');
    return { form: 'fixed', width, codes, bytes };
  }
  const values = readCoded(spec, pages, codes);
  if (spec.kind === 'bytes') return { form: 'blob', codes, blobs: values };
  return { form: 'text', codes, texts: values.map((value) => DECODER.decode(value)) };
}

function readNumbers(spec: ColumnSpec, pages: Iterable<Page>, rows: number): Float64Array {
  const values = new Float64Array(rows);
  let end = 0;
  for (const page of pages) {
    const into = values.subarray(end, (end += roomFor(page, rows - end)));
    const { levels, present } = levelsOf(spec, page);
    const numbers = numbersOf(page, present, spec.kind);
    if (levels === undefined) into.set(numbers);
    else
      for (let row = 0, at = 0; row < into.length; row++) into[row] = levels[row]! < 0 ? NaN : numbers[at++]!;
    assertRead(page);
  }
  if (end !== rows) throw wireFault(`expected ${rows} values of ${spec.name}, got ${end}`);
  return values;
}

function numbersOf({ encoding, body }: Page, count: number, kind: ColumnSpec['kind']): ArrayLike<number> {
  if (encoding === ENCODING.deltaPacked) return readPacked(body, count);
  if (encoding !== ENCODING.plain) throw wireFault(`expected numbers, got encoding ${encoding}`);
  if (kind === 'bool') return readHybridBits(body, count);
  const width = kind === 'i64' ? 8 : 4;
  const bytes = Buffer.from(body.bytes(count * width, 'numbers'));
  return Array.from({ length: count }, (_, at) =>
    kind === 'i64' ? Number(bytes.readBigInt64LE(at * width)) : bytes.readInt32LE(at * width),
  );
}

function readHybridBits(body: ByteReader, count: number): Float64Array {
  const bits = body.bytes((count + 7) >>> 3, 'booleans');
  return Float64Array.from({ length: count }, (_, at) => (bits[at >>> 3]! >>> (at & 7)) & 1);
}

/** Fills `codes`; returns their values: those of the dictionary, then those of plain pages. */
function readCoded(spec: ColumnSpec, pages: Iterable<Page>, codes: Int32Array): Uint8Array[] {
  const values: Uint8Array[] = [];
  let end = 0;
  for (const page of pages) {
    if (page.isDictionary) {
      readPlain(page.body, page.values, values);
      assertRead(page);
      continue;
    }
    const into = codes.subarray(end, (end += roomFor(page, codes.length - end)));
    const { levels, present } = levelsOf(spec, page);
    const own = codesOf(page, present, values);
    if (levels === undefined) into.set(own);
    else for (let row = 0, at = 0; row < into.length; row++) into[row] = levels[row]! < 0 ? -1 : own[at++]!;
    assertRead(page);
  }
  if (end !== codes.length) throw wireFault(`expected ${codes.length} values of ${spec.name}, got ${end}`);
  return values;
}

/** The codes of the non-null values. Plain values are added and get the next codes. */
function codesOf({ encoding, body }: Page, count: number, values: Uint8Array[]): Int32Array {
  if (encoding === ENCODING.dictionary) {
    const codes = readHybrid(body, count, body.u8('the width of codes'));
    for (const code of codes) if (code >= values.length) throw wireFault(`expected a value for ${code}`);
    return codes;
  }
  const first = values.length;
  if (encoding === ENCODING.plain) readPlain(body, count, values);
  else if (encoding === ENCODING.deltaText) readDeltaTexts(body, count, values);
  else throw wireFault(`expected texts, got encoding ${encoding}`);
  return Int32Array.from({ length: count }, (_, at) => first + at);
}

function readPlain(body: ByteReader, count: number, into: Uint8Array[]): void {
  for (let at = 0; at < count; at++) into.push(body.bytes(body.u32('a length'), 'a value'));
}

/** Each value is a prefix of the previous value, of the given length, and a suffix. */
function readDeltaTexts(body: ByteReader, count: number, into: Uint8Array[]): void {
  const prefixes = readPacked(body, count);
  const suffixes = readPacked(body, count);
  let before = new Uint8Array(0);
  for (let at = 0; at < count; at++) {
    const suffix = body.bytes(suffixes[at]!, 'a suffix');
    if (!(prefixes[at]! >= 0 && prefixes[at]! <= before.length)) throw wireFault('expected a prefix');
    const value = new Uint8Array(prefixes[at]! + suffix.length);
    value.set(before.subarray(0, prefixes[at]));
    value.set(suffix, prefixes[at]);
    into.push(value);
    before = value;
  }
}

/** The number of rows of a page. Throws WIRE_FORMAT if it exceeds `left`. */
function roomFor({ values }: Page, left: number): number {
  if (values > left) throw wireFault(`expected at most ${left} values, got ${values}`);
  return values;
}

/** Bytes after the last value show that the page was misread. */
function assertRead({ body }: Page): void {
  if (!body.isAtEnd) throw wireFault(`expected the end of a page, got ${body.left} more bytes`);
}

function levelsOf(spec: ColumnSpec, { body, values }: Page): { levels?: Int32Array; present: number } {
  if (!spec.isNullable) return { present: values };
  const levels = readLevels(body, values);
  let present = 0;
  for (let row = 0; row < levels.length; row++) if (levels[row]! >= 0) present++;
  return present === values ? { present } : { levels, present };
}

function hexDigits(value: Uint8Array, width: number): string {
  const text = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1');
  if (text.length !== HEX_PREFIX.length + width * 2 || !text.startsWith('0x')) {
    throw wireFault(`expected 0x and ${width * 2} digits`);
  }
  return text.slice(HEX_PREFIX.length);
}
