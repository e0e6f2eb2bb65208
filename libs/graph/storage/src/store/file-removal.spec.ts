import { describe, expect, it } from '@jest/globals';
import { CrashDisk } from '#testing';
import { MemoryLog } from '../../test/store-harness.ts';
import { FileRemoval } from './file-removal.ts';

async function directoryOf(
  ...names: readonly string[]
): Promise<{ disk: CrashDisk; removal: FileRemoval; log: MemoryLog }> {
  const [disk, log] = [new CrashDisk(1), new MemoryLog()];
  await disk.makeDirectory('/store');
  for (const name of names) await disk.writeNew(`/store/${name}`, new Uint8Array(1));
  return { disk, removal: new FileRemoval(disk, '/store', log), log };
}

describe('FileRemoval', () => {
  it('removes at once while nobody copies', async () => {
    const { disk, removal } = await directoryOf('a', 'b', 'c');

    await removal.remove(['a', 'c']);

    expect(await disk.list('/store')).toEqual(['b']);
  });

  it('waits for the last of those who copy, and removes then, once', async () => {
    const { disk, removal, log } = await directoryOf('a', 'b');
    const first = removal.pin();
    const second = removal.pin();
    await removal.remove(['a']);
    await first();
    await removal.remove(['b']);

    expect(await disk.list('/store')).toEqual(['a', 'b']);

    await second();
    expect(await disk.list('/store')).toEqual([]);
    await disk.writeNew('/store/a', new Uint8Array(1));
    await removal.pin()();
    expect(await disk.list('/store')).toEqual(['a']);
    expect(log.lines).toEqual([]);
  });

  it('lets go when the copy fails', async () => {
    const { disk, removal } = await directoryOf('a');
    const failed = removal.whilePinned(async () => {
      await removal.remove(['a']);
      throw new Error('full');
    });

    await expect(failed).rejects.toThrow('full');

    expect(await disk.list('/store')).toEqual([]);
  });

  it('says what cannot be removed, and goes on with the others', async () => {
    const { disk, removal, log } = await directoryOf('a', 'b');
    disk.plan({ failAt: { call: 1, code: 'EIO' } });

    await removal.remove(['a', 'b']);

    expect(await disk.list('/store')).toEqual(['a']);
    expect(log.lines).toEqual([expect.objectContaining({ level: 'warn', event: 'storage.not_removed' })]);
  });
});
