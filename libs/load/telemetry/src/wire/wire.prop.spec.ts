import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { arbitraryRows, batchOf } from '../../test/arbitrary-rows.ts';
import { plainRows, rowsOfBatch } from '../../test/plain-rows.ts';
import { columnsOf, isNumberKind, rangeOf } from '../table/column-spec.ts';
import type { Column, TableBatch } from '../table/table-batch.ts';
import { decodeTables } from './decode-tables.ts';
import { encodeTables } from './encode-tables.ts';

const tables = fc.uniqueArray(arbitraryRows(20), { selector: ({ table }) => table, maxLength: 4 });

/** The first violated invariant of a decoded batch's columns. */
function brokenPromise({ table, rowCount, columns }: TableBatch): string | undefined {
  const byName: Readonly<Record<string, Column>> = columns;
  const broken = columnsOf(table).find(({ name, kind, isNullable }) => {
    const column = byName[name]!;
    if (column.form === 'number') {
      const { least, most } = rangeOf(isNumberKind(kind) ? kind : 'i64');
      const isFit = (value: number) =>
        Number.isNaN(value) ? isNullable : Number.isInteger(value) && value >= least && value <= most;
      return column.values.length !== rowCount || !column.values.every(isFit);
    }
    const least = isNullable ? -1 : 0;
    const isCode = (code: number) => code >= least && code < valuesOf(column);
    return column.codes.length !== rowCount || !column.codes.every(isCode);
  });
  return broken && `${table}.${broken.name}`;
}

function valuesOf(column: Exclude<Column, { form: 'number' }>): number {
  if (column.form === 'fixed') return column.bytes.length / column.width;
  return column.form === 'text' ? column.texts.length : column.blobs.length;
}

/** The decoded tables, or the code of the error. */
function outcomeOf(bytes: Uint8Array): string {
  try {
    const broken = decodeTables(bytes)
      .map(brokenPromise)
      .filter((one) => one !== undefined);
    return broken[0] ?? 'tables';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

describe('decodeTables', () => {
  it('restores an encoded batch', () => {
    fc.assert(
      fc.property(tables, (all) => {
        const decoded = decodeTables(encodeTables(all.map(batchOf)));

        const expected = new Map(all.map(({ table, rows }) => [table, plainRows(rows)]));
        expect(new Map(decoded.map((batch) => [batch.table, rowsOfBatch(batch)]))).toEqual(expected);
      }),
    );
  });

  it('rejects a batch with any changed byte, or returns values within the bounds of the columns', () => {
    fc.assert(
      fc.property(tables, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, change) => {
        const bytes = encodeTables(all.map(batchOf)).slice();
        bytes[at % bytes.length]! ^= change;

        expect(['tables', 'WIRE_FORMAT']).toContain(outcomeOf(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('rejects a truncated batch and trailing bytes', () => {
    fc.assert(
      fc.property(tables, fc.nat(), (all, at) => {
        const bytes = encodeTables(all.map(batchOf));

        expect(outcomeOf(bytes.subarray(0, at % bytes.length))).toBe('WIRE_FORMAT');
        expect(outcomeOf(Uint8Array.of(...bytes, 0))).toBe('WIRE_FORMAT');
      }),
    );
  });

  it('names the missing item of a truncated batch', () => {
    fc.assert(
      fc.property(tables, fc.nat(), (all, at) => {
        const bytes = encodeTables(all.map(batchOf));

        expect(() => decodeTables(bytes.subarray(0, at % bytes.length))).toThrow(
          /^expected \d+ bytes of [a-z]/,
        );
      }),
    );
  });

  it('rejects random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        fc.pre(bytes[1] !== 0);

        expect(outcomeOf(bytes)).toBe('WIRE_FORMAT');
        expect(outcomeOf(Uint8Array.of(1, 1, ...bytes))).toBe('WIRE_FORMAT');
      }),
      { numRuns: 500 },
    );
  });
});
