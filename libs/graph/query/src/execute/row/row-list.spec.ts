import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NaiveReader, executionContextOf } from '#graph/testing';
import { completed } from '#platform/foundation';
import { groupedPlaces, RowList } from './row-list.ts';
import { RowTable } from '#graph/execution';

const { pace } = executionContextOf(new NaiveReader({ entities: [], relationships: [] }));

describe('the tuples of a row', () => {
  it('are contiguous and in order, also next to rows without tuples', () => {
    const rowOf = fc.array(fc.nat({ max: 5 }), { maxLength: 20 });
    fc.assert(
      fc.property(rowOf, (rows) => {
        const { places, starts } = completed(groupedPlaces(Uint32Array.from(rows), 6, pace));

        const groups = Array.from({ length: 6 }, (_, row) => [
          ...places.subarray(starts[row], starts[row + 1]),
        ]);
        const expected = groups.map((_, row) => [...rows.keys()].filter((tuple) => rows[tuple] === row));
        expect(groups).toEqual(expected);
        expect([...starts].at(-1)).toBe(rows.length);
      }),
    );
  });

  it('are combined when rows are merged', () => {
    const table = new RowTable(1);
    for (const slot of [5, 6, 7, 8, 9]) table.push(Uint32Array.of(slot));
    const rowOf = Uint32Array.of(2, 0, 1, 0, 2);
    const rows = new RowList(table, completed(groupedPlaces(rowOf, 3, pace)));

    const merged = completed(
      rows.merged({ places: Uint32Array.of(2, 1, 0), starts: Uint32Array.of(0, 2, 3) }, pace),
    );

    expect([0, 1, 2].map((row) => rows.slot(row, 0))).toEqual([6, 7, 5]);
    expect([0, 1].map((row) => [...merged.tuplesOf(row)])).toEqual([
      [0, 4, 2],
      [1, 3],
    ]);
    expect([merged.slot(0, 0), merged.rows]).toEqual([5, 2]);
  });
});
