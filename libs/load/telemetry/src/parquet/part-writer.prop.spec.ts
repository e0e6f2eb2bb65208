import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { join } from 'node:path';
import { CrashDisk, effort } from '#testing';
import { arbitraryRows, batchOf } from '../../test/arbitrary-rows.ts';
import { hyparquetRows } from '../../test/parquet-rows.ts';
import { parquetRow, plainRows, rowsOfBatch, type PlainRow } from '../../test/plain-rows.ts';
import { partName } from '../file-names.ts';
import { readParts } from '../reader/read-parts.ts';
import { COMPRESSIONS } from './compression.ts';
import { PartWriter } from './part-writer.ts';

const EDGE = { edgeId: 'edge-1', instanceId: 'i-1' };

/** The rows, read by the reader of this library. */
async function ownRows(disk: CrashDisk, name: string): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  await readParts({ disk, directory: '/run' }, [name], (edge, batches) => {
    expect(edge).toEqual(EDGE);
    rows.push(...batches.flatMap(rowsOfBatch));
  });
  return rows;
}

describe('PartWriter', () => {
  it('writes every value so that it is read back, with any pages, row groups and compression', async () => {
    const shape = fc.record({
      runId: fc.constant('r-1'),
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
          const name = partName(all.table, 1);
          const file = await disk.open(join('/run', name), 'create');
          const writer = new PartWriter(all.table, file, options);

          for (let time = 0; time < times; time++) await writer.append(EDGE, batchOf(all));
          await writer.finish();

          const once = plainRows(all.rows).map((row) => ({
            edge_id: 'edge-1',
            instance_id: 'i-1',
            ...parquetRow(all.table, row),
            run_id: 'r-1',
          }));
          const repeated = <Row>(rows: readonly Row[]) => Array.from({ length: times }, () => rows).flat();
          expect(await hyparquetRows(await disk.readBytes(join('/run', name)))).toEqual(repeated(once));
          expect(await ownRows(disk, name)).toEqual(repeated(plainRows(all.rows)));
        },
      ),
      { numRuns: effort(100, 25) },
    );
  });
});
