import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rowsOfBatch } from '../../test/plain-rows.ts';
import { arbitraryRow, batchOf } from '../../test/arbitrary-rows.ts';
import { pagesIn } from '../../test/column-pages.ts';
import { ByteReader } from '../bytes/byte-reader.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { ENCODING } from '../parquet/chunk-pages.ts';
import { columnChunk } from '../parquet/part-writer.ts';
import { columnsOf, type ColumnSpec } from '../table/column-spec.ts';
import type { Column } from '../table/table-batch.ts';
import { TABLE_NAMES, type ColumnKind, type TableName } from '../table/tables.ts';
import type { Page } from './chunk-reader.ts';
import { columnOf } from './column-reader.ts';

const spec = (kind: ColumnKind, isNullable = false): ColumnSpec => ({
  name: 'a_column',
  kind,
  isNullable,
  choices: undefined,
});

interface PageBytes {
  readonly values: number;
  readonly encoding: number;
  readonly isDictionary?: boolean;
  readonly bytes: Uint8Array | readonly number[];
}

const page = ({ bytes, isDictionary = false, ...rest }: PageBytes): Page => ({
  ...rest,
  isDictionary,
  body: new ByteReader(Uint8Array.from(bytes)),
});

const integers = (...values: readonly number[]) => Buffer.from(Int32Array.from(values).buffer);

function texts(...values: readonly string[]): Uint8Array {
  const out = new ByteWriter();
  for (const value of values) {
    out.u32(Buffer.byteLength(value));
    out.bytes(Buffer.from(value));
  }
  return out.written();
}

/** A page with two values for each kind of column. */
const PAGES: readonly (readonly [string, ColumnKind, PageBytes])[] = [
  ['whole numbers', 'i32', { values: 2, encoding: ENCODING.plain, bytes: integers(5, -5) }],
  ['long whole numbers', 'i64', { values: 2, encoding: ENCODING.plain, bytes: integers(5, 0, -5, -1) }],
  ['booleans', 'bool', { values: 2, encoding: ENCODING.plain, bytes: [2] }],
  ['texts', 'utf8', { values: 2, encoding: ENCODING.plain, bytes: texts('one', 'é') }],
  ['blobs', 'bytes', { values: 2, encoding: ENCODING.plain, bytes: texts('one', '') }],
];

describe('columnOf', () => {
  it.each(PAGES)('rejects too few and too many rows of %s', (_, kind, bytes) => {
    const twice = [page(bytes), page(bytes)];

    expect(() => columnOf(spec(kind), twice, 3)).toThrow('expected at most 1 values, got 2');
    expect(() => columnOf(spec(kind), [page(bytes)], 3)).toThrow('expected 3 values of a_column, got 2');
    expect(() => columnOf(spec(kind), [], 1)).toThrow('expected 1 values of a_column, got 0');
  });

  it.each(PAGES)('rejects bytes after the values of %s', (_, kind, bytes) => {
    const longer = { ...bytes, bytes: [...bytes.bytes, 0] };

    expect(() => columnOf(spec(kind), [page(longer)], 2)).toThrow('expected the end of a page, got 1 more');
  });

  it.each(PAGES)('names the missing item when a page of %s is truncated anywhere', (_, kind, bytes) => {
    for (let cut = 0; cut < bytes.bytes.length; cut++) {
      const shorter = { ...bytes, bytes: bytes.bytes.slice(0, cut) };
      expect(() => columnOf(spec(kind), [page(shorter)], 2)).toThrow(/^expected \d+ bytes of [a-z]/);
    }
  });

  it('rejects bytes after the values of the dictionary', () => {
    const dictionary = { values: 1, encoding: ENCODING.dictionary, isDictionary: true };

    expect(() => columnOf(spec('utf8'), [page({ ...dictionary, bytes: [...texts('a'), 9] })], 0)).toThrow(
      'expected the end of a page, got 1 more bytes',
    );
  });

  it('rejects a code beyond the dictionary', () => {
    const dictionary = { values: 2, encoding: ENCODING.dictionary, isDictionary: true };
    const coded = (code: number) => [
      page({ ...dictionary, bytes: texts('a', 'b') }),
      page({ values: 3, encoding: ENCODING.dictionary, bytes: [2, 6, code] }),
    ];

    expect(columnOf(spec('utf8'), coded(1), 3)).toMatchObject({ codes: Int32Array.of(1, 1, 1) });
    expect(() => columnOf(spec('utf8'), coded(2), 3)).toThrow('expected a value for 2');
  });

  it.each([
    ['numbers', 'i64'],
    ['texts', 'utf8'],
  ] as const)('rejects %s in an unsupported encoding', (what, kind) => {
    expect(() => columnOf(spec(kind), [page({ values: 1, encoding: 99, bytes: [0] })], 1)).toThrow(
      `expected ${what}, got encoding 99`,
    );
  });

  it.each([
    ['too short', '0x00'],
    ['without its prefix', `0y${'00'.repeat(20)}`],
    ['of other digits', `0x${'0g'.repeat(20)}`],
  ])('rejects an address whose text is %s', (_, text) => {
    const address = { values: 1, encoding: ENCODING.plain, bytes: texts(text) };

    expect(() => columnOf(spec('address'), [page(address)], 1)).toThrow(/^expected (0x|hexadecimal)/);
  });
});

/** Writes columns to pages and reads them back, as rows of their table. */
function rowsBehind(table: TableName, pages: readonly Readonly<Record<string, Column>>[], pageRows: number) {
  const columns = columnsOf(table).map((one) => {
    const chunk = columnChunk(one, { compression: 'none', pageRows });
    const own = pages.map((page) => page[one.name]!);
    return [one.name, columnOf(one, pagesIn(chunk, own), pages.length * pageRows)] as const;
  });
  return rowsOf(table, Object.fromEntries(columns), pages.length * pageRows);
}

function rowsOf(table: TableName, columns: Readonly<Record<string, Column>>, rowCount: number) {
  return rowsOfBatch({ table, rowCount, columns } as object as Parameters<typeof rowsOfBatch>[0]);
}

describe('columnOf on written pages', () => {
  it('restores columns with codes in any order and repeated codes', () => {
    const arbitrary = fc.record({
      table: fc.constantFrom(...TABLE_NAMES),
      seed: fc.nat(),
      order: fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 40 }),
    });
    fc.assert(
      fc.property(arbitrary, ({ table, seed, order }) => {
        const few = batchOf({ table, rows: fc.sample(arbitraryRow(table), { numRuns: 10, seed }) });
        const columns: Readonly<Record<string, Column>> = few.columns;
        const mixed = Object.fromEntries(
          Object.entries(columns).map(([name, column]) => [name, reordered(column, order)]),
        );

        const expected = rowsOf(table, mixed, order.length);
        expect(rowsBehind(table, [mixed, mixed], order.length)).toEqual([...expected, ...expected]);
      }),
    );
  });
});

function reordered(column: Column, order: readonly number[]): Column {
  if (column.form === 'number')
    return { form: 'number', values: Float64Array.from(order, (row) => column.values[row]!) };
  const codes = Int32Array.from(order, (row) => column.codes[row]!);
  return { ...column, codes };
}
