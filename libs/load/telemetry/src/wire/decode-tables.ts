/**
 * *Hot path*: decodes a wire batch to columns. Total: any bytes are decoded or rejected with WIRE_FORMAT.
 * Nothing is read beyond their end. Their length and BATCH_ROWS_MAX bound the allocated memory.
 */
import { BATCH_ROWS_MAX, VALUE_BYTES_MAX } from '../limits.ts';
import {
  columnsOf,
  FIXED_WIDTHS,
  isFixedKind,
  isNumberKind,
  rangeOf,
  type ColumnSpec,
} from '../table/column-spec.ts';
import type { Column, TableBatch } from '../table/table-batch.ts';
import { TABLE_NAMES } from '../table/tables.ts';
import { WIRE_VERSION } from './encode-tables.ts';
import { readVector } from './vector.ts';
import { wireFault, ByteReader } from '../bytes/byte-reader.ts';

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WEI = /^(?:0|-?[1-9]\d{0,77})$/;

/** Decodes the tables of a batch; columns may be views of `bytes`. Throws WIRE_FORMAT for invalid bytes. */
export function decodeTables(bytes: Uint8Array): readonly TableBatch[] {
  const reader = new ByteReader(bytes);
  const version = reader.u8('the version');
  if (version !== WIRE_VERSION) throw wireFault(`expected version ${WIRE_VERSION}, got ${version}`);
  const batches: TableBatch[] = [];
  let rowsLeft = BATCH_ROWS_MAX;
  let next = 0;
  for (let left = reader.u8('the number of tables'); left > 0; left--) {
    const table = reader.u8('a table');
    if (table < next) throw wireFault(`expected tables in their order, got ${table} after ${next - 1}`);
    next = table + 1;
    const batch = readTable(reader, table, rowsLeft);
    rowsLeft -= batch.rowCount;
    batches.push(batch);
  }
  if (!reader.isAtEnd) throw wireFault('expected the end after the last table');
  return batches;
}

function readTable(reader: ByteReader, number: number, rowsMax: number): TableBatch {
  const table = TABLE_NAMES[number];
  if (table === undefined) throw wireFault(`expected a table below ${TABLE_NAMES.length}, got ${number}`);
  const rowCount = reader.countUpTo(rowsMax, `rows of ${table}`);
  if (rowCount === 0) throw wireFault(`expected rows of ${table}`);
  const specs = columnsOf(table);
  const room = new ColumnRoom(specs, rowCount);
  const columns: Record<string, Column> = {};
  for (const spec of specs) columns[spec.name] = readColumn(reader, spec, room);
  // The columns match the table's list of columns.
  return { table, rowCount, columns } as object as TableBatch;
}

/** One allocation for all numbers of a table, and one for all codes, column by column. */
class ColumnRoom {
  readonly rowCount: number;
  readonly #numbers: Float64Array;
  readonly #codes: Int32Array;
  #usedNumbers = 0;
  #usedCodes = 0;

  constructor(specs: readonly ColumnSpec[], rowCount: number) {
    this.rowCount = rowCount;
    const numbers = specs.filter(({ kind }) => isNumberKind(kind)).length;
    this.#numbers = new Float64Array(numbers * rowCount);
    this.#codes = new Int32Array((specs.length - numbers) * rowCount);
  }

  numbers(): Float64Array {
    return this.#numbers.subarray(this.#usedNumbers, (this.#usedNumbers += this.rowCount));
  }

  codes(): Int32Array {
    return this.#codes.subarray(this.#usedCodes, (this.#usedCodes += this.rowCount));
  }
}

function readColumn(reader: ByteReader, spec: ColumnSpec, room: ColumnRoom): Column {
  const { name, kind } = spec;
  if (isNumberKind(kind)) return readNumbers(reader, spec, room.numbers());
  const codes = room.codes();
  if (isFixedKind(kind)) {
    const width = FIXED_WIDTHS[kind];
    const count = reader.countUpTo(room.rowCount, `values of ${name}`);
    const bytes = reader.bytes(count * width, name);
    readCodes(reader, spec, codes, count);
    return { form: 'fixed', width, bytes, codes };
  }
  const values = readValues(reader, spec, room.rowCount);
  readCodes(reader, spec, codes, values.length);
  if (kind === 'bytes') return { form: 'blob', codes, blobs: values };
  return { form: 'text', codes, texts: values.map((value) => textOf(value, spec)) };
}

function readNumbers(
  reader: ByteReader,
  { name, kind, isNullable }: ColumnSpec,
  values: Float64Array,
): Column {
  const bounds = readVector(reader, values, Number.NaN);
  const { least, most } = rangeOf(kind as 'i64');
  const isWithin = bounds.least >= least && bounds.most <= most;
  if (!isWithin && !isEachWithin(values, least, most)) {
    throw wireFault(`expected whole numbers from ${least} to ${most} in ${name}`);
  }
  if (bounds.hasNulls && !isNullable) throw wireFault(`expected no nulls in ${name}`);
  return { form: 'number', values };
}

function readCodes(
  reader: ByteReader,
  { name, isNullable }: ColumnSpec,
  codes: Int32Array,
  count: number,
): void {
  const bounds = readVector(reader, codes, -1);
  const isWithin = bounds.least >= 0 && bounds.most < count;
  if (!isWithin && !isEachWithin(codes, isNullable ? -1 : 0, count - 1)) {
    throw wireFault(`expected codes below ${count} in ${name}`);
  }
  if (bounds.hasNulls && !isNullable) throw wireFault(`expected no nulls in ${name}`);
}

function isEachWithin(values: Float64Array | Int32Array, least: number, most: number): boolean {
  for (let row = 0; row < values.length; row++) {
    if (values[row]! < least || values[row]! > most) return false;
  }
  return true;
}

function readValues(reader: ByteReader, { name }: ColumnSpec, rowCount: number): readonly Uint8Array[] {
  const count = reader.countUpTo(rowCount, `values of ${name}`);
  const lengths = Array.from({ length: count }, () =>
    reader.countUpTo(VALUE_BYTES_MAX, `bytes of a value of ${name}`),
  );
  return lengths.map((length) => reader.bytes(length, name));
}

function textOf(bytes: Uint8Array, { name, kind, choices }: ColumnSpec): string {
  const text = decodeText(bytes, name);
  if (kind === 'wei' && !WEI.test(text)) throw wireFault(`expected decimal digits in ${name}`);
  if (choices !== undefined && !choices.has(text)) {
    throw wireFault(`expected one of ${[...choices].join(', ')} in ${name}`);
  }
  return text;
}

function decodeText(bytes: Uint8Array, name: string): string {
  try {
    return DECODER.decode(bytes);
  } catch {
    throw wireFault(`expected UTF-8 in ${name}`);
  }
}
