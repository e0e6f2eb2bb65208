import { readdirSync } from 'node:fs';
import type { EdgeInstance } from '../../libs/load/telemetry/src/index.ts';
import { builtLibrary } from '../targets/built-library.ts';

const { NodeDisk } = await builtLibrary('platform/disk');
const { readParts } = await builtLibrary('load/telemetry');

/** Rows of a batch pushed by a {@link FakeEdge}: of the table `errors`, numbered by `at_us`. */
export const BATCH_ROWS = 10;

/** The numbers of the rows in a run's parts, in order, by edge. */
export async function rowsOfErrors(directory: string): Promise<ReadonlyMap<string, number[]>> {
  const names = readdirSync(directory).filter((name) => /^errors-part-\d+\.parquet$/.test(name));
  const rows = new Map<string, number[]>();
  await readParts({ disk: new NodeDisk(), directory }, names, ({ edgeId }: EdgeInstance, batches) => {
    for (const batch of batches) {
      if (batch.table !== 'errors') continue;
      const own = rows.get(edgeId) ?? [];
      own.push(...batch.columns.at_us.values);
      rows.set(edgeId, own);
    }
  });
  return rows;
}
