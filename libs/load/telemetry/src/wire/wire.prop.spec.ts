import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '#platform/foundation';
import { arbitraryRows, batchOf } from '../../test/arbitrary-rows.ts';
import { plainRows, rowsOfBatch } from '../../test/plain-rows.ts';
import { decodeTables } from './decode-tables.ts';
import { encodeTables } from './encode-tables.ts';

jest.setTimeout(60_000);

const tables = fc.uniqueArray(arbitraryRows(20), { selector: ({ table }) => table, maxLength: 4 });

/** What decoding does with bytes: the tables, or the code of the refusal. */
function outcomeOf(bytes: Uint8Array): string {
  try {
    decodeTables(bytes);
    return 'tables';
  } catch (error) {
    return error instanceof DomainError ? error.code : String(error);
  }
}

describe('a batch', () => {
  it('is the same after it was encoded and decoded', () => {
    fc.assert(
      fc.property(tables, (all) => {
        const decoded = decodeTables(encodeTables(all.map(batchOf)));

        const expected = new Map(all.map(({ table, rows }) => [table, plainRows(rows)]));
        expect(new Map(decoded.map((batch) => [batch.table, rowsOfBatch(batch)]))).toEqual(expected);
      }),
    );
  });

  it('is refused, and nothing else happens, when any of its bytes is another', () => {
    fc.assert(
      fc.property(tables, fc.nat(), fc.integer({ min: 1, max: 255 }), (all, at, change) => {
        const bytes = encodeTables(all.map(batchOf)).slice();
        bytes[at % bytes.length]! ^= change;

        expect(['tables', 'WIRE_FORMAT']).toContain(outcomeOf(bytes));
      }),
      { numRuns: 500 },
    );
  });

  it('is refused when it ends early, or goes on', () => {
    fc.assert(
      fc.property(tables, fc.nat(), (all, at) => {
        const bytes = encodeTables(all.map(batchOf));

        expect(outcomeOf(bytes.subarray(0, at % bytes.length))).toBe('WIRE_FORMAT');
        expect(outcomeOf(Uint8Array.of(...bytes, 0))).toBe('WIRE_FORMAT');
      }),
    );
  });

  it('is refused when it is any other bytes', () => {
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
