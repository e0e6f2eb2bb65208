import { describe, expect, it } from '@jest/globals';
import { DiskError } from '#platform/disk';
import { CrashDisk } from '#testing';
import type { HiveRunRecord } from './run-record.ts';
import { newRunState } from './run-state.ts';
import { newRunId, RunStore } from './run-store.ts';

const RULES = { edgesMin: 1, failsOnEdgeLoss: false };

function recordOf(runId: string, name = 'smoke'): HiveRunRecord {
  const state = newRunState(RULES);
  return { format: 1, run_id: runId, name, status: 'Starting', state, parts: [] } as object as HiveRunRecord;
}

async function makeStore(): Promise<{ disk: CrashDisk; store: RunStore }> {
  const disk = new CrashDisk(5);
  for (const directory of ['/data', '/data/runs']) await disk.makeDirectory(directory);
  return { disk, store: new RunStore(disk, '/data') };
}

describe('RunStore', () => {
  it('finds no runs in a new data directory', async () => {
    const disk = new CrashDisk(5);
    await disk.makeDirectory('/data');

    expect(await new RunStore(disk, '/data').readAll(() => undefined)).toEqual([]);
  });

  it('returns the last saved record after a crash', async () => {
    const { disk, store } = await makeStore();
    const runId = newRunId(0);
    const file = await store.create(runId, 'name: smoke\n');
    await file.save(() => recordOf(runId));
    await file.save(() => recordOf(runId, 'later'));

    const found = await new RunStore(disk.restart(), '/data').readAll(() => undefined);

    expect(found).toEqual([recordOf(runId, 'later')]);
  });

  it('skips a directory without a record, and reports a damaged record', async () => {
    const { disk, store } = await makeStore();
    await store.create('r-never', '');
    await store.create('r-damaged', '');
    await disk.writeNew('/data/runs/r-damaged/run.json', Buffer.from('{"format":1'));
    const damaged: string[] = [];

    expect(await store.readAll((runId) => damaged.push(runId))).toEqual([]);

    expect(damaged).toEqual(['r-damaged']);
  });

  it('saves a last record on a full disk', async () => {
    const { disk, store } = await makeStore();
    const file = await store.create('r-1', '');
    await file.save(() => recordOf('r-1'));
    const used = 262_144 + JSON.stringify(recordOf('r-1'), null, 2).length + 1;
    disk.plan({ capacityBytes: used + 10 });

    await file.save(() => recordOf('r-1', 'the disk is full'));

    expect((await file.read())?.name).toBe('the disk is full');
    disk.plan({ capacityBytes: 10 });
    await expect(file.save(() => recordOf('r-1', 'again'))).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });
  });

  it('rejects a new run on a full disk', async () => {
    const { disk, store } = await makeStore();
    disk.plan({ capacityBytes: 1_000 });

    await expect(store.create('r-1', '')).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    expect(await disk.listDirectories('/data/runs')).toEqual([]);
  });

  it('treats a limit of the size of files as a full disk', async () => {
    const { disk, store } = await makeStore();
    disk.writeNew = (path) => Promise.reject(new DiskError('EFBIG', 'write', path));

    await expect(store.create('r-1', '')).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    expect(await disk.listDirectories('/data/runs')).toEqual([]);
  });
});

describe('newRunId', () => {
  it('sorts by time', () => {
    expect(newRunId(Date.parse('2026-11-21T14:15:03Z'))).toMatch(/^r-20261121-141503-[a-z2-9]{6}$/);
  });
});
