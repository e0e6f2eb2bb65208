/**
 * Bytes of a wire batch back into columns. Total: whatever the bytes are, either they are a batch, or they
 * are refused with WIRE_FORMAT; nothing is read past their end, and nothing is allocated that is not bounded
 * by their length and BATCH_ROWS_MAX rows. *Hot path*.
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
import type { Column, NumberColumn, TableBatch } from '../table/table-batch.ts';
import { TABLE_NAMES } from '../table/tables.ts';
import { WIRE_VERSION } from './encode-tables.ts';
import { readVector } from './vector.ts';
import { wireFault, ByteReader } from '../bytes/byte-reader.ts';

const DECODER = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const WEI = /^(?:0|-?[1-9]\d{0,77})$/;

/** The columns of a batch; they may be views of `bytes`. Throws WIRE_FORMAT for what is none. */
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
  const columns = Object.fromEntries(
    columnsOf(table).map((spec) => [spec.name, readColumn(reader, spec, rowCount)]),
  );
  // The columns were read by the table's own list of them.
  return { table, rowCount, columns } as object as TableBatch;
}

function readColumn(reader: ByteReader, spec: ColumnSpec, rowCount: number): Column {
  if (isNumberKind(spec.kind)) return readNumbers(reader, spec, rowCount);
  if (isFixedKind(spec.kind)) {
    const width = FIXED_WIDTHS[spec.kind];
    const count = reader.countUpTo(rowCount, `values of ${spec.name}`);
    const bytes = reader.bytes(count * width, spec.name);
    return { form: 'fixed', width, bytes, codes: readCodes(reader, spec, rowCount, count) };
  }
  const values = readValues(reader, spec, rowCount);
  const codes = readCodes(reader, spec, rowCount, values.length);
  if (spec.kind === 'bytes') return { form: 'blob', codes, blobs: values };
  return { form: 'text', codes, texts: values.map((value) => textOf(value, spec)) };
}

function readNumbers(reader: ByteReader, { name, kind, isNullable }: ColumnSpec, rows: number): NumberColumn {
  const values = new Float64Array(rows);
  readVector(reader, values, Number.NaN);
  const { least, most } = rangeOf(kind as 'i64');
  for (let row = 0; row < rows; row++) {
    const value = values[row]!;
    if (value >= least && value <= most && Math.floor(value) === value) continue;
    if (isNullable && Number.isNaN(value)) continue;
    throw wireFault(`expected whole numbers from ${least} to ${most} in ${name}, got ${value}`);
  }
  return { form: 'number', values };
}

function readCodes(reader: ByteReader, spec: ColumnSpec, rows: number, count: number): Int32Array {
  const codes = new Int32Array(rows);
  readVector(reader, codes, -1);
  const least = spec.isNullable ? -1 : 0;
  for (let row = 0; row < rows; row++) {
    const code = codes[row]!;
    if (code >= least && code < count) continue;
    throw wireFault(`expected codes from ${least} to ${count - 1} in ${spec.name}, got ${code}`);
  }
  return codes;
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
