import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { repairStore, restoreStore } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { DIRECTORY, openStore, putAll } from './store-harness.ts';

const COPY = '/copy';
const FORMAT_1 = join(import.meta.dirname, 'data', 'format-1');

async function epochOf(disk: CrashDisk, directory = DIRECTORY): Promise<string> {
  const store = await openStore(disk, { directory });
  const { epoch } = store;
  await store.close();
  return epoch;
}

describe('the epoch of a store', () => {
  it('is created with the store, is URL-safe, and is kept through flushes and opens', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    const { epoch } = store;
    await putAll(store, { k: 'v' });
    await store.compact();
    await store.close();

    expect(epoch).toMatch(/^[0-9a-z]{8,32}$/);
    expect(await epochOf(disk)).toBe(epoch);
    expect(await epochOf(new CrashDisk(1))).not.toBe(epoch);
  });

  it('is durable once the store is open: a crash right after does not change it', async () => {
    const disk = new CrashDisk(1);

    const { epoch } = await openStore(disk);

    expect(await epochOf(disk.restart())).toBe(epoch);
  });

  it('is assigned to a store of an older release when it is opened', async () => {
    const source = new NodeDisk();
    const disk = new CrashDisk(1);
    await disk.makeDirectory(DIRECTORY);
    for (const name of await source.list(FORMAT_1)) {
      await disk.writeNew(`${DIRECTORY}/${name}`, await source.readBytes(join(FORMAT_1, name)));
    }

    const { epoch } = await openStore(disk);

    expect(epoch).toMatch(/^[0-9a-z]{8,32}$/);
    expect(await epochOf(disk.restart())).toBe(epoch);
  });

  it('differs in a copy and in a restored backup, which continue independently', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    await putAll(store, { k: 'v' });

    await store.backup(COPY);
    await restoreStore(disk, '/restored', store.backupStream());

    const epochs = [store.epoch, await epochOf(disk, COPY), await epochOf(disk, '/restored')];
    expect(new Set(epochs).size).toBe(3);
  });

  it.each([
    ['a frame', 'wal-0000000002', 550],
    ['the header of a file', 'wal-0000000003', 8],
    ['a frame of the last file', 'wal-0000000004', 550],
  ])('changes when a repair discards batches: damage in %s', async (_, file, offset) => {
    const disk = new CrashDisk(1);
    const jobs = {
      start: () => ({ result: new Promise<never>(() => undefined), cancel: () => Promise.resolve() }),
    };
    const store = await openStore(disk, { walFileBytes: 600, jobs });
    for (let i = 1; i <= 8; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(300) });
    const { epoch } = store;
    const damaged = disk.restart();
    const broken = await damaged.open(`${DIRECTORY}/${file}`, 'write');
    await broken.write(Uint8Array.of(255), offset);
    await broken.sync();
    await broken.close();

    const report = await repairStore(damaged, DIRECTORY);

    expect(report?.lastSeq).toBeLessThan(8);
    expect(await epochOf(damaged)).not.toBe(epoch);
  });

  it('is kept when a repair finds no damage', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    await putAll(store, { k: 'v' });
    const { epoch } = store;
    await store.close();

    expect(await repairStore(disk, DIRECTORY)).toBeUndefined();
    expect(await epochOf(disk)).toBe(epoch);
  });
});
