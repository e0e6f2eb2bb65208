import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { encodeTables, readParts, TABLE_NAMES, TelemetryWriter, type BatchHook } from '#load/telemetry';
import { NodeDisk } from '#platform/disk';
import { partName } from '../src/file-names.ts';
import { PartWriter } from '../src/parquet/part-writer.ts';
import { arbitraryRow, batchOf } from './arbitrary-rows.ts';
import { plainRows, rowsOfBatch, type PlainRow } from './plain-rows.ts';
import { edge } from './run-harness.ts';

const SEED = 7;
const BATCH_ROWS = 60;
/** The writer's default number of rows in a page. */
const PAGE_ROWS = 16_384;
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'telemetry-replay-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true });
});

/** A batch with rows in all tables. */
function batch(seed: number): Uint8Array {
  return encodeTables(
    TABLE_NAMES.map((table) =>
      batchOf({ table, rows: fc.sample(arbitraryRow(table), { numRuns: BATCH_ROWS, seed: SEED + seed }) }),
    ),
  );
}

/** The rows that a hook received, by edge and table, in order. */
function collector(): { seen: Map<string, PlainRow[]>; hook: BatchHook } {
  const seen = new Map<string, PlainRow[]>();
  const hook: BatchHook = ({ edgeId, instanceId }, batches) => {
    for (const one of batches) {
      const key = `${edgeId} ${instanceId} ${one.table}`;
      seen.set(key, [...(seen.get(key) ?? []), ...rowsOfBatch(one)]);
    }
  };
  return { seen, hook };
}

/** Two edges and several generations. The last generation remains a journal. */
async function writeRun(hook: BatchHook): Promise<void> {
  const writer = await TelemetryWriter.open({
    disk: new NodeDisk(),
    directory,
    journalBytes: 100_000,
    onBatch: hook,
  });
  for (let seq = 1; seq <= 5; seq++) {
    await writer.append(edge('a'), seq, batch(seq));
    await writer.append(edge('b'), seq, batch(seq + 100));
  }
  await writer.close();
}

describe('a reopened run', () => {
  it('passes all earlier rows of parts and journals to the hook, in the order of each table', async () => {
    const before = collector();
    await writeRun(before.hook);
    const after = collector();

    const options = { disk: new NodeDisk(), directory, onBatch: after.hook };
    const writer = await TelemetryWriter.open(options);

    expect(writer.recovered.batches).toBeLessThan(10);
    expect(after.seen).toEqual(before.seen);
    await writer.close();
  });
});

describe('readParts', () => {
  const name = 'feed-part-00001.parquet';
  const read = (hook: BatchHook) => readParts({ disk: new NodeDisk(), directory }, [name], hook);

  it.each(TABLE_NAMES)('reads pages of the default size of %s', async (table) => {
    const few = fc.sample(arbitraryRow(table), { numRuns: 97, seed: SEED });
    const rows = Array.from({ length: PAGE_ROWS + 1_000 }, (_, at) => few[at % few.length] ?? {});
    const file = await new NodeDisk().open(join(directory, partName(table, 1)), 'create');
    const writer = new PartWriter(table, file, { runId: 'r-1', compression: 'snappy' });
    await writer.append(edge('a'), batchOf({ table, rows }));
    await writer.finish();

    const { seen, hook } = collector();
    await readParts({ disk: new NodeDisk(), directory }, [partName(table, 1)], hook);

    const [read = []] = [...seen.values()];
    const expected = plainRows(few);
    expect(read).toHaveLength(rows.length);
    expect(read.findIndex((row, at) => !isDeepStrictEqual(row, expected[at % few.length]))).toBe(-1);
  });

  it('returns batches of one instance each, without duplicate values', async () => {
    const table = 'errors';
    const rows = fc.sample(arbitraryRow(table), { numRuns: 20, seed: SEED });
    const file = await new NodeDisk().open(join(directory, partName(table, 1)), 'create');
    const writer = new PartWriter(table, file, { runId: 'r-1', compression: 'snappy' });
    const of = (from: number, to: number) => batchOf({ table, rows: rows.slice(from, to) });
    for (const name of ['a', 'a', 'b', 'a']) await writer.append(edge(name), of(0, 20));
    await writer.append(edge('a'), of(0, 2));
    await writer.finish();

    const seen: [string, number, readonly string[]][] = [];
    await readParts({ disk: new NodeDisk(), directory }, [partName(table, 1)], ({ edgeId }, batches) => {
      for (const batch of batches) {
        if (batch.table === table) seen.push([edgeId, batch.rowCount, batch.columns.message.texts]);
      }
    });

    const messages = (count: number) => [...new Set(rows.slice(0, count).map(({ message }) => message))];
    expect(seen).toEqual([
      ['a', 40, messages(20)],
      ['b', 20, messages(20)],
      ['a', 22, messages(20)],
    ]);
  });

  it('names a truncated file', async () => {
    await writeRun(() => undefined);
    truncateSync(join(directory, name), 100);

    await expect(read(() => undefined)).rejects.toMatchObject({
      code: 'REPORT_DATA_UNREADABLE',
      message: 'expected feed-part-00001.parquet to be a whole Parquet file',
    });
  });

  it('names a missing file', async () => {
    await expect(read(() => undefined)).rejects.toMatchObject({
      code: 'REPORT_DATA_MISSING',
      message: 'expected the file feed-part-00001.parquet',
    });
  });

  it('names a file with a flipped bit in a page', async () => {
    await writeRun(() => undefined);
    const bytes = readFileSync(join(directory, name));
    bytes[200]! ^= 1;
    writeFileSync(join(directory, name), bytes);

    await expect(read(() => undefined)).rejects.toMatchObject({ code: 'REPORT_DATA_UNREADABLE' });
  });

  it('rethrows an error of the hook unchanged', async () => {
    await writeRun(() => undefined);
    const failure = new Error('of the hook');

    const reading = read(() => {
      throw failure;
    });

    await expect(reading).rejects.toBe(failure);
  });
});
