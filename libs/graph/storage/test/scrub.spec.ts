import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { InlineJobRunner, type Storage } from '#graph/storage';
import { DiskError } from '#platform/disk';
import { CrashDisk } from '#testing';
import type { RunningJob } from '../src/jobs/job-runner.port.ts';
import type { Job } from '../src/jobs/job.ts';
import { SegmentReader } from '../src/segment/segment-reader.ts';
import { contentOf, DIRECTORY, MemoryLog, openStore, putAll, valueOf } from './store-harness.ts';
import { seededRandom } from '#platform/foundation';

const DAY_MS = 86_400_000;

/** Incompressible texts, so that a segment has several blocks. */
function records(count: number, prefix: string): Record<string, string> {
  const random = seededRandom(count);
  const value = (): string => Array.from({ length: 400 }, () => random().toString(36).slice(2)).join('');
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${prefix}${String(i).padStart(3, '0')}`, value()]),
  );
}

async function flushed(store: Storage, content: Record<string, string>): Promise<void> {
  await putAll(store, content);
  await store.flush();
}

async function segmentNames(disk: CrashDisk): Promise<string[]> {
  return (await disk.list(DIRECTORY)).filter((name) => name.startsWith('segment-'));
}

async function flip(disk: CrashDisk, name: string, offset: number): Promise<void> {
  const file = await disk.open(`${DIRECTORY}/${name}`, 'write');
  const byte = new Uint8Array(1);
  await file.read(byte, offset);
  await file.write(
    byte.map((value) => value ^ 0x10),
    offset,
  );
  await file.sync();
  await file.close();
}

/** The offsets of the blocks of a segment. */
async function blockOffsets(disk: CrashDisk, name: string): Promise<number[]> {
  const { index, footer } = await SegmentReader.open(disk, DIRECTORY, name);
  return Array.from({ length: footer.blocks }, (_, block) => index.startOf(block));
}

/** A store with one segment of several blocks. */
async function storeWithSegment(): Promise<{
  disk: CrashDisk;
  store: Storage;
  log: MemoryLog;
  name: string;
}> {
  const [disk, log] = [new CrashDisk(1), new MemoryLog()];
  const store = await openStore(disk, { log });
  await flushed(store, records(60, 'k'));
  const [name = ''] = await segmentNames(disk);
  return { disk, store, log, name };
}

describe('a scrub', () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  it('finds no damage in intact segments, and counts the bytes read', async () => {
    const { store, log } = await storeWithSegment();

    await store.scrub();

    expect(store.damage).toEqual([]);
    expect(log.of('storage.scrubbed')).toEqual([
      expect.objectContaining({
        level: 'info',
        fields: expect.objectContaining({ segments: 1, damaged: 0 }),
      }),
    ]);
    expect(store.stats().scrubbed_bytes).toBeGreaterThan(100_000);
    expect(store.stats()).toMatchObject({ damaged_blocks: 0 });
  });

  it('reports a flipped bit of any block with file and block offset', async () => {
    const { disk, store, log, name } = await storeWithSegment();
    const offsets = await blockOffsets(disk, name);
    const [, second = 0, third = 0] = offsets;
    await flip(disk, name, second + 20);
    await flip(disk, name, third + 1);

    await store.scrub();

    const reason = `broken segment block in ${name} at offset ${second}`;
    expect(offsets.length).toBeGreaterThan(3);
    expect(store.damage).toEqual([{ file: name, offset: second, reason, blocks: 2 }]);
    expect(store.stats()).toMatchObject({ damaged_blocks: 2 });
    expect(log.of('storage.damaged')).toEqual([
      expect.objectContaining({
        level: 'error',
        fields: expect.objectContaining({ file: name, offset: second }),
      }),
    ]);
  });

  it('finds a flipped bit anywhere except in the header', async () => {
    const { disk, store, name } = await storeWithSegment();
    const bytes = (await disk.readBytes(`${DIRECTORY}/${name}`)).length;
    const random = seededRandom(7);
    const missed: number[] = [];

    for (let round = 0; round < 40; round++) {
      const offset = 16 + Math.floor(random() * (bytes - 16));
      await flip(disk, name, offset);
      await store.scrub();
      if (store.damage.length === 0) missed.push(offset);
      await flip(disk, name, offset);
    }
    await store.scrub();

    expect(missed).toEqual([]);
    expect(store.damage).toEqual([]);
  });

  it('reports a read error of the disk as damage', async () => {
    const { disk, store, name } = await storeWithSegment();
    const open = disk.open.bind(disk);
    jest.spyOn(disk, 'open').mockImplementation(async (path, mode) => {
      const file = await open(path, mode);
      const read = file.read.bind(file);
      file.read = (into, position) =>
        position === 16 ? Promise.reject(new DiskError('EIO', 'read', path)) : read(into, position);
      return file;
    });

    await store.scrub();

    const reason = `read failed with EIO in ${name} at offset 16`;
    expect(store.damage).toEqual([{ file: name, offset: 16, reason, blocks: 1 }]);
  });

  it('reports a missing segment', async () => {
    const { disk, store, name } = await storeWithSegment();
    await disk.remove(`${DIRECTORY}/${name}`);

    await store.scrub();

    expect(store.damage).toEqual([expect.objectContaining({ file: name, offset: 0, blocks: 1 })]);
  });

  it('ignores a segment that was merged while it ran', async () => {
    const disk = new CrashDisk(1);
    const inline = new InlineJobRunner(disk);
    const letGo = Promise.withResolvers<undefined>();
    const start = (job: Job): RunningJob => {
      if (job.kind !== 'scrub') return inline.start(job);
      return { result: letGo.promise.then(() => inline.start(job).result), cancel: () => Promise.resolve() };
    };
    const store = await openStore(disk, { jobs: { start } });
    await flushed(store, records(60, 'k'));
    await flushed(store, { a: '1' });
    const scrub = store.scrub();
    await store.compact();
    letGo.resolve(undefined);

    await scrub;

    expect(store.damage).toEqual([]);
  });

  it('leaves the store writable: a damaged segment is excluded from merges', async () => {
    const { disk, store, log, name } = await storeWithSegment();
    await flip(disk, name, 30);
    await store.scrub();

    for (let round = 0; round < 4; round++) await flushed(store, records(40 + round, `r${round}-`));
    await log.until('storage.compacted', 1);

    expect(store.poisoned).toBeUndefined();
    expect(await segmentNames(disk)).toContain(name);
    expect(await valueOf(store, 'r0-001')).toBeDefined();
    await expect(store.compact()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    expect(store.poisoned).toBeUndefined();
  });

  it('is not needed to exclude a damaged segment: a merge that finds damage does the same', async () => {
    const { disk, store, log, name } = await storeWithSegment();
    await flip(disk, name, 30);

    await flushed(store, records(70, 'r'));
    await log.until('storage.damaged', 1);

    expect(store.poisoned).toBeUndefined();
    expect(store.damage).toEqual([expect.objectContaining({ file: name, offset: 16, blocks: 1 })]);
    expect(await segmentNames(disk)).toContain(name);
    await putAll(store, { more: '1' });
    expect(await valueOf(store, 'more')).toBe('1');
  });

  it('and a merge that find the same damage log it once', async () => {
    const [disk, log] = [new CrashDisk(1), new MemoryLog()];
    const inline = new InlineJobRunner(disk);
    const [held, letGo] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const start = (job: Job): RunningJob => {
      if (job.kind !== 'merge') return inline.start(job);
      held.resolve(undefined);
      return { result: letGo.promise.then(() => inline.start(job).result), cancel: () => Promise.resolve() };
    };
    const store = await openStore(disk, { log, jobs: { start } });
    await flushed(store, records(60, 'k'));
    const [name = ''] = await segmentNames(disk);
    await flip(disk, name, 30);
    await flushed(store, records(70, 'r'));
    await held.promise;
    await store.scrub();
    letGo.resolve(undefined);
    await expect(store.compact()).rejects.toMatchObject({ code: 'STORE_CORRUPT' });

    expect(store.damage).toEqual([expect.objectContaining({ file: name, offset: 16, blocks: 1 })]);
    expect(log.of('storage.damaged')).toHaveLength(1);
    expect(store.stats()).toMatchObject({ damaged_blocks: 1 });
  });

  it('starts when the store opens, and again after each interval', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'performance'] });
    const { disk, store, name } = await storeWithSegment();
    await store.close();
    const log = new MemoryLog();
    const again = await openStore(disk, { log, scrub: { everyMs: DAY_MS, bytesPerSecond: Infinity } });
    await log.until('storage.scrubbed', 1);
    await flip(disk, name, 30);
    expect(again.damage).toEqual([]);

    jest.advanceTimersByTime(DAY_MS);
    await log.until('storage.damaged', 1);

    expect(again.damage).toEqual([expect.objectContaining({ file: name, offset: 16 })]);
    // The process may have timers of others.
    const timers = jest.getTimerCount();
    await again.close();
    expect(jest.getTimerCount()).toBeLessThan(timers);
  });

  it('reads no faster than the configured rate', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const { disk, store } = await storeWithSegment();
    const { segment_bytes: bytes } = store.stats();
    await store.close();
    const log = new MemoryLog();
    const again = await openStore(disk, { log, scrub: { everyMs: DAY_MS, bytesPerSecond: bytes / 10 } });

    await jest.advanceTimersByTimeAsync(5_000);
    const [early] = log.of('storage.scrubbed');
    await jest.advanceTimersByTimeAsync(6_000);

    expect(early).toBeUndefined();
    expect(log.of('storage.scrubbed')).toHaveLength(1);
    await again.close();
  });

  it('ends with the store', async () => {
    const { disk, store } = await storeWithSegment();
    const scrub = store.scrub();

    await store.close();
    await scrub;

    expect(await contentOf(await openStore(disk))).toHaveLength(60);
  });
});
