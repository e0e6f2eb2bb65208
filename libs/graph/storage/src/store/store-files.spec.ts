import { describe, expect, it } from '@jest/globals';
import { DataDirectory } from '#platform/disk';
import { CrashDisk } from '#testing';
import { MemoryLog } from '../../test/store-harness.ts';
import { EMPTY_MANIFEST } from './manifest.ts';
import { StoreFiles } from './store-files.ts';

async function directoryOf(
  ...names: readonly string[]
): Promise<{ disk: CrashDisk; files: StoreFiles; log: MemoryLog }> {
  const [disk, log] = [new CrashDisk(1), new MemoryLog()];
  await disk.makeDirectory('/store');
  for (const name of names) await disk.writeNew(`/store/${name}`, new Uint8Array(1));
  const place = { disk, directory: '/store', log };
  const claim = await DataDirectory.claim(disk, '/store', { owner: 'graph' });
  return { disk, files: new StoreFiles(place, EMPTY_MANIFEST, claim), log };
}

async function dataIn(disk: CrashDisk): Promise<readonly string[]> {
  return (await disk.list('/store')).filter((name) => !/^lock/i.test(name));
}

describe('StoreFiles', () => {
  it('removes files at once without a pin', async () => {
    const { disk, files } = await directoryOf('a', 'b', 'c');

    await files.remove(['a', 'c']);

    expect(await dataIn(disk)).toEqual(['b']);
  });

  it('removes files once, after the last pin is released', async () => {
    const { disk, files, log } = await directoryOf('a', 'b');
    const first = files.pin();
    const second = files.pin();
    await files.remove(['a']);
    await first();
    await files.remove(['b']);

    expect(await dataIn(disk)).toEqual(['a', 'b']);

    await second();
    expect(await dataIn(disk)).toEqual([]);
    await disk.writeNew('/store/a', new Uint8Array(1));
    await files.pin()();
    expect(await dataIn(disk)).toEqual(['a']);
    expect(log.lines).toEqual([]);
  });

  it('releases the pin when the copy fails', async () => {
    const { disk, files } = await directoryOf('a');
    const failed = files.whilePinned(async () => {
      await files.remove(['a']);
      throw new Error('full');
    });

    await expect(failed).rejects.toThrow('full');

    expect(await dataIn(disk)).toEqual([]);
  });

  it('logs a file that cannot be removed, and removes the others', async () => {
    const { disk, files, log } = await directoryOf('a', 'b');
    disk.plan({ failAt: { call: 1, code: 'EIO' } });

    await files.remove(['a', 'b']);

    expect(await dataIn(disk)).toEqual(['a']);
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', event: 'storage.not_removed' })]);
  });
});
