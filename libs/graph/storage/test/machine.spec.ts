import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { getPriority, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Storage } from '#graph/storage';
import { NodeDisk } from '#platform/disk';
import { bytes, contentOf, MemoryLog, putAll, valueOf } from './store-harness.ts';

let directory = '';
const niceness = getPriority();

/** The niceness of each thread of this process. */
async function nicenessOfThreads(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const stats = threads.map((id) => readFile(`/proc/self/task/${id}/stat`, 'utf8').catch(() => ''));
  // The second field, a name, is in parentheses; niceness is the nineteenth field.
  return (await Promise.all(stats)).map((stat) => Number(stat.split(') ').at(-1)?.split(' ')[16]));
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plexus-storage-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

describe('Storage on the file system of the machine', () => {
  it('flushes and merges in worker threads, first the newest segments and then all', async () => {
    const log = new MemoryLog();
    const place = { disk: new NodeDisk(), directory: join(directory, 'workers'), log };
    const store = await Storage.open(place);
    await putAll(store, { same: 'base', base: randomBytes(4_000).toString('hex') });
    await store.flush();
    for (let round = 0; round < 2; round++) {
      await putAll(store, { same: `round ${round}`, [`key ${round}`]: 'v'.repeat(1 + 9 * round) });
      await store.flush();
    }
    await log.until('storage.compacted', 1);

    const partial = log.of('storage.compacted').map(({ fields }) => fields);
    expect(partial).toEqual([expect.objectContaining({ inputs: 2, older: 1 })]);
    expect(store.stats()).toMatchObject({ segments: 2, compactions: 1, memtable_bytes: 0 });
    expect(await valueOf(store, 'same')).toBe('round 1');
    await store.close();
    const again = await Storage.open(place);
    expect(await contentOf(again)).toHaveLength(4);
    await again.compact();
    expect(again.stats()).toMatchObject({ segments: 1, compactions: 2, memtable_bytes: 0 });
    expect(await valueOf(again, 'same')).toBe('round 1');
    expect(await contentOf(again)).toHaveLength(4);
    await again.close();
  });

  it('runs worker threads at a lower priority than its own, where threads have priorities', async () => {
    const place = { disk: new NodeDisk(), directory: join(directory, 'priority') };
    const store = await Storage.open(place);
    await putAll(store, { a: '1' });
    await store.flush();
    await store.close();

    const scrub = { everyMs: 86_400_000, bytesPerSecond: 1 };
    const again = await Storage.open({ ...place, scrub });
    const isSeen = platform() === 'linux' && getPriority() < 10;
    while (isSeen && !(await nicenessOfThreads()).includes(10)) await new Promise(setImmediate);

    expect(getPriority()).toBe(niceness);
    await again.close();
  });

  it('rejects with the error of the worker', async () => {
    const disk = new NodeDisk();
    const place = join(directory, 'broken');
    const store = await Storage.open({ disk, directory: place });
    await putAll(store, { a: '1' });
    const file = await disk.open(join(place, 'wal-0000000001'), 'write');
    await file.write(bytes('damage'), 530);
    await file.close();

    await expect(store.flush()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    expect(store.poisoned?.message).toContain('broken frame in wal-0000000001 at offset 512');
    await store.close();
  });

  it('rotates to a prepared log file', async () => {
    const disk = new NodeDisk();
    const place = join(directory, 'rotation');
    const store = await Storage.open({ disk, directory: place, walFileBytes: 65_536 });
    for (let i = 0; i < 200; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(1000) });
    await store.close();

    const again = await Storage.open({ disk, directory: place, walFileBytes: 65_536 });

    expect(await contentOf(again)).toHaveLength(200);
    await again.close();
  });
});
