import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { CrashDisk } from '#testing';
import { arbitraryRows, batchOf } from '../../test/arbitrary-rows.ts';
import { hyparquetRows } from '../../test/parquet-rows.ts';
import { parquetRow, plainRows } from '../../test/plain-rows.ts';
import { COMPRESSIONS } from './compression.ts';
import { PartWriter } from './part-writer.ts';

jest.setTimeout(60_000);

const EDGE = { edgeId: 'edge-1', instanceId: 'i-1' };

describe('a part', () => {
  it('gives each value back, whatever its pages, row groups and compression', async () => {
    const shape = fc.record({
      compression: fc.constantFrom(...COMPRESSIONS),
      pageRows: fc.integer({ min: 1, max: 40 }),
      rowGroupRows: fc.integer({ min: 1, max: 100 }),
    });
    await fc.assert(
      fc.asyncProperty(
        arbitraryRows(30),
        fc.integer({ min: 1, max: 8 }),
        shape,
        async (all, times, options) => {
          const disk = new CrashDisk(1);
          await disk.makeDirectory('/run');
          const writer = new PartWriter(all.table, await disk.open('/run/part', 'create'), options);

          for (let time = 0; time < times; time++) await writer.append(EDGE, batchOf(all));
          await writer.finish();

          const once = plainRows(all.rows).map((row) => ({
            edge_id: 'edge-1',
            instance_id: 'i-1',
            ...parquetRow(all.table, row),
          }));
          const rows = await hyparquetRows(await disk.readBytes('/run/part'));
          expect(rows).toEqual(Array.from({ length: times }, () => once).flat());
        },
      ),
      { numRuns: 300 },
    );
  });
});
