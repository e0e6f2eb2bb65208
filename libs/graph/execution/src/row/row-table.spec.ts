import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RowTable } from './row-table.ts';

const BYTES_PER_SLOT = 4;

function rowsOf(table: RowTable): number[][] {
  return Array.from({ length: table.rows }, (_, row) =>
    Array.from({ length: table.width }, (__, slot) => table.slot(row, slot)),
  );
}

/** Each row once, at its first position. */
function distinct(rows: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const found = new Map<string, readonly number[]>();
  for (const row of rows) if (!found.has(row.join())) found.set(row.join(), row);
  return [...found.values()];
}

describe('a table of rows', () => {
  it.each([1, 2, 5])('of %d slots keeps any number of rows in order', (width) => {
    const table = new RowTable(width);
    const rows = Array.from({ length: 10_000 }, (_, row) =>
      Array.from({ length: width }, (__, slot) => row * width + slot),
    );

    for (const row of rows) table.push(Uint32Array.from(row));

    expect(rowsOf(table)).toEqual(rows);
    expect(table.bytes).toBeGreaterThanOrEqual(rows.length * width * BYTES_PER_SLOT);
    expect(table.bytes).toBeLessThan(2 * rows.length * width * BYTES_PER_SLOT);
  });

  it('keeps each distinct row once, in the order of first occurrence', () => {
    const slot = fc.oneof(fc.nat({ max: 5 }), fc.constantFrom(0xffff_ffff, 0x8000_0000));
    const rows = fc
      .integer({ min: 1, max: 3 })
      .chain((width) =>
        fc.array(fc.array(slot, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 200 }),
      );
    fc.assert(
      fc.property(rows, (all) => {
        const table = new RowTable(all[0]?.length ?? 0);

        for (const row of all) table.pushDistinct(Uint32Array.from(row));

        expect(rowsOf(table)).toEqual(distinct(all));
      }),
    );
  });

  it.each([1, 100, 5_000, 40_000])(
    'tells %d distinct rows apart, of each of which there are several',
    (count) => {
      const table = new RowTable(2);

      for (let at = 0; at < 3 * count; at++) {
        const row = (at * 7_919) % count;
        table.pushDistinct(Uint32Array.of(row, row >>> 3));
      }

      expect(table.rows).toBe(count);
      expect(new Set(rowsOf(table).map(([first]) => first)).size).toBe(count);
      expect(table.bytes).toBeGreaterThanOrEqual(count * 2 * BYTES_PER_SLOT);
    },
  );
});
