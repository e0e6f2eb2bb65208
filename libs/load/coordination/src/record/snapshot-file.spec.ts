import { describe, expect, it } from '@jest/globals';
import { CrashDisk } from '#testing';
import { SnapshotFile } from './snapshot-file.ts';

const CALLS_OF_A_SAVE = 6;

async function makeDisk(): Promise<CrashDisk> {
  const disk = new CrashDisk(7);
  await disk.makeDirectory('/data');
  return disk;
}

describe('SnapshotFile', () => {
  it('is missing before the first save', async () => {
    const file = new SnapshotFile(await makeDisk(), '/data/a.json');

    expect(await file.read()).toBeUndefined();
  });

  it('contains the last of many concurrent saves, which share writes', async () => {
    const disk = await makeDisk();
    const file = new SnapshotFile(disk, '/data/a.json');
    disk.plan({});

    await Promise.all(Array.from({ length: 100 }, (_, i) => file.save(() => String(i))));

    expect(await file.read()).toBe('99');
    expect(disk.calls).toBeLessThanOrEqual(2 * CALLS_OF_A_SAVE);
  });

  it.each(Array.from({ length: CALLS_OF_A_SAVE + 1 }, (_, i) => i + 1))(
    'contains the complete old or new value after a crash at call %i',
    async (call) => {
      for (let seed = 0; seed < 20; seed++) {
        const disk = new CrashDisk(seed);
        await disk.makeDirectory('/data');
        await new SnapshotFile(disk, '/data/a.json').save(() => 'old');
        disk.plan({ crashAt: call });
        const outcome = await new SnapshotFile(disk, '/data/a.json')
          .save(() => 'new')
          .then(
            () => 'saved',
            () => 'failed',
          );

        const found = await new SnapshotFile(disk.restart(), '/data/a.json').read();

        expect(outcome === 'saved' ? ['new'] : ['old', 'new']).toContain(found);
      }
    },
  );

  it('keeps the old value on a full disk, and saves again once there is space', async () => {
    const disk = await makeDisk();
    const file = new SnapshotFile(disk, '/data/a.json');
    await file.save(() => 'old');
    disk.plan({ capacityBytes: 6 });

    await expect(file.save(() => 'much longer')).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    expect(await file.read()).toBe('old');
    disk.plan({});
    await file.save(() => 'new');
    expect(await file.read()).toBe('new');
  });
});
