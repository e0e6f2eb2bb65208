import { describe, expect, it } from '@jest/globals';
import { CrashDisk } from './crash-disk.ts';
import { diskConformance } from './disk-conformance.ts';

const DIRECTORY = '/store';

async function newDisk(seed = 1): Promise<CrashDisk> {
  const disk = new CrashDisk(seed);
  await disk.makeDirectory(DIRECTORY);
  return disk;
}

diskConformance('CrashDisk', async () => ({ disk: await newDisk(), directory: DIRECTORY }));

describe('CrashDisk', () => {
  it('keeps synced bytes of a synced name in every crash', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const disk = await newDisk(seed);
      await disk.writeNew('/store/a', Uint8Array.of(1, 2, 3));
      await disk.syncDirectory(DIRECTORY);

      const after = disk.restart();

      expect(await after.readBytes('/store/a')).toEqual(Uint8Array.of(1, 2, 3));
    }
  });

  it('keeps durable writes in every crash', async () => {
    for (let seed = 0; seed < 20; seed++) {
      const disk = await newDisk(seed);
      const file = await disk.open('/store/a', 'create', { isDurable: true });
      await disk.syncDirectory(DIRECTORY);
      await file.write(Uint8Array.of(1, 2, 3), 0);

      const after = disk.restart();

      expect(await after.readBytes('/store/a')).toEqual(Uint8Array.of(1, 2, 3));
    }
  });

  it('keeps some unsynced sectors in some crash, and loses others', async () => {
    const outcomes = new Set<string>();
    for (let seed = 0; seed < 40; seed++) {
      const disk = await newDisk(seed);
      const file = await disk.open('/store/a', 'create');
      await file.truncate(1024);
      await file.sync();
      await disk.syncDirectory(DIRECTORY);
      await file.write(new Uint8Array(1024).fill(9), 0);

      const bytes = await disk.restart().readBytes('/store/a');

      outcomes.add(`${bytes[0]} ${bytes[511]} ${bytes[512]} ${bytes[1023]}`);
    }
    expect([...outcomes].sort()).toEqual(['0 0 0 0', '0 0 9 9', '9 9 0 0', '9 9 9 9']);
  });

  it('may lose a name whose directory was not synced', async () => {
    const outcomes = new Set<number>();
    for (let seed = 0; seed < 40; seed++) {
      const disk = await newDisk(seed);
      await disk.writeNew('/store/a', Uint8Array.of(1));

      outcomes.add((await disk.restart().list(DIRECTORY)).length);
    }
    expect([...outcomes].sort()).toEqual([0, 1]);
  });

  it('fails every call from the planned one on', async () => {
    const disk = await newDisk();
    const file = await disk.open('/store/a', 'create');
    disk.plan({ crashAt: 2 });

    await file.write(Uint8Array.of(1), 0);

    await expect(file.sync()).rejects.toMatchObject({ code: 'ECRASH' });
    await expect(file.size()).rejects.toMatchObject({ code: 'ECRASH' });
  });

  it('fails one call with the planned errno, and continues', async () => {
    const disk = await newDisk();
    const file = await disk.open('/store/a', 'create');
    disk.plan({ failAt: { call: 1, code: 'EIO' } });

    await expect(file.write(Uint8Array.of(1), 0)).rejects.toMatchObject({ code: 'EIO' });

    await file.write(Uint8Array.of(2), 0);
    expect(await disk.readBytes('/store/a')).toEqual(Uint8Array.of(2));
  });

  it('is full at its capacity', async () => {
    const disk = await newDisk();
    const file = await disk.open('/store/a', 'create');
    disk.plan({ capacityBytes: 10 });

    await file.write(new Uint8Array(10), 0);

    await expect(file.write(new Uint8Array(1), 10)).rejects.toMatchObject({ code: 'ENOSPC' });
  });
});
