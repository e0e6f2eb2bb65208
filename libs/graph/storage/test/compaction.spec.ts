import { describe, expect, it } from '@jest/globals';
import { InlineJobRunner, type Storage } from '#graph/storage';
import { CrashDisk } from '#testing';
import { planMerge } from '../src/compaction-plan.ts';
import type { RunningJob } from '../src/jobs/job-runner.port.ts';
import type { Job } from '../src/jobs/job.ts';
import { readManifest } from '../src/store/manifest.ts';
import {
  bytes,
  contentOf,
  DIRECTORY,
  MemoryLog,
  openStore,
  putAll,
  recordsOf,
  text,
  valueOf,
} from './store-harness.ts';
import { seededRandom } from '#platform/foundation';

const EXPIRED_MS = 1;

/** A store, its disk and its log. */
interface Place {
  readonly disk: CrashDisk;
  readonly store: Storage;
  readonly log: MemoryLog;
}

/** Records of this many keys, with incompressible values. */
function recordsOfSize(count: number, prefix: string, seed = 1): Record<string, string> {
  const random = seededRandom(seed);
  const value = (): string => Array.from({ length: 10 }, () => random().toString(36).slice(2)).join('');
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, value()]));
}

/** A store whose oldest segment is larger than the later flushes of the tests. */
async function storeWithBase(): Promise<Place> {
  const [disk, log] = [new CrashDisk(1), new MemoryLog()];
  const store = await openStore(disk, { log });
  await putAll(store, { ...recordsOfSize(100, 'base-'), a: 'base', b: 'base' });
  await store.flush();
  return { disk, store, log };
}

/** Flushes run at once; merges wait for `letGo` or their cancellation. */
class HeldMerges {
  readonly held = Promise.withResolvers<undefined>();
  readonly letGo = Promise.withResolvers<undefined>();
  readonly #inline: InlineJobRunner;

  constructor(disk: CrashDisk) {
    this.#inline = new InlineJobRunner(disk);
  }

  start(job: Job): RunningJob {
    if (job.kind === 'flush') return this.#inline.start(job);
    this.held.resolve(undefined);
    const cancelled = Promise.withResolvers<never>();
    const result = this.letGo.promise.then(() => this.#inline.start(job).result);
    return {
      result: Promise.race([result, cancelled.promise]),
      cancel: () => {
        cancelled.reject(new Error('cancelled'));
        return Promise.resolve();
      },
    };
  }
}

/** Flushes, and resolves when nothing is left to merge. */
async function flush({ disk, store, log }: Place): Promise<void> {
  await store.flush();
  for (;;) {
    const { segments = [], compactions = 0 } = (await readManifest(disk, DIRECTORY)) ?? {};
    const isMerged = planMerge(segments.map((segment) => segment.bytes)) === undefined;
    await log.until('storage.compacted', isMerged ? compactions : compactions + 1);
    if (isMerged) return;
  }
}

async function flushAll(place: Place, ...flushes: readonly Record<string, string>[]): Promise<void> {
  for (const records of flushes) {
    await putAll(place.store, records);
    await flush(place);
  }
}

async function flushDelete(place: Place, key: string): Promise<void> {
  const batch = place.store.batch();
  batch.delete(bytes(key), bytes('last'), EXPIRED_MS);
  await place.store.append(batch).durable;
  await flush(place);
}

const segmentsOf = async (disk: CrashDisk): Promise<string[]> =>
  (await disk.list(DIRECTORY)).filter((name) => name.startsWith('segment-'));

/** The number of inputs of each merge, and the number of older segments left out. */
const mergesOf = (log: MemoryLog): unknown[] =>
  log.of('storage.compacted').map(({ fields: { inputs, older } }) => ({ inputs, older }));

async function shownTombstones(store: Storage): Promise<string[]> {
  const records = await recordsOf(store.scan(bytes(''), { includeDeleted: true }));
  return records.filter((record) => record.isDeleted).map((record) => text(record.key));
}

describe('a merge of the newest segments', () => {
  it('leaves the older segment unchanged and keeps the newest versions, also after a restart', async () => {
    const place = await storeWithBase();
    const { disk, store, log } = place;
    const [base] = await segmentsOf(disk);

    await flushAll(place, { a: '1', b: '1' }, { a: '2', c: '2', d: 'longer' });

    expect(mergesOf(log)).toEqual([{ inputs: 2, older: 1 }]);
    expect(await segmentsOf(disk)).toHaveLength(2);
    expect((await segmentsOf(disk))[0]).toBe(base);
    const expected = { a: '2', b: '1', c: '2', d: 'longer' };
    const read = async (from: Storage): Promise<unknown> => {
      const content = Object.fromEntries(await contentOf(from));
      for (const key of Object.keys(content)) expect(await valueOf(from, key)).toBe(content[key]);
      return content;
    };
    expect(await read(store)).toEqual({ ...recordsOfSize(100, 'base-'), ...expected });
    await store.close();
    expect(await read(await openStore(disk))).toEqual({ ...recordsOfSize(100, 'base-'), ...expected });
  });

  it('keeps an expired tombstone, whose key may be in the older segment; a full merge purges it', async () => {
    const place = await storeWithBase();
    const { disk, store, log } = place;

    await flushDelete(place, 'a');
    await flushAll(place, { c: 'x', d: 'y', e: 'z' });

    expect(mergesOf(log)).toEqual([{ inputs: 2, older: 1 }]);
    expect(await valueOf(store, 'a')).toBeUndefined();
    expect(await shownTombstones(store)).toEqual(['a']);
    await store.close();
    const again = await openStore(disk);
    expect((await contentOf(again, 'a')).map(([key]) => key)).toEqual([]);
    await again.compact();
    expect(await shownTombstones(again)).toEqual([]);
    expect(await valueOf(again, 'a')).toBeUndefined();
    expect(await segmentsOf(disk)).toHaveLength(1);
  });

  it('includes the older segment once the newer ones are as large, and then purges', async () => {
    const place = await storeWithBase();
    const { disk, store, log } = place;
    await flushDelete(place, 'a');

    await flushAll(place, recordsOfSize(110, 'more-', 2));

    expect(mergesOf(log)).toEqual([{ inputs: 3, older: 0 }]);
    expect(await shownTombstones(store)).toEqual([]);
    expect(await valueOf(store, 'a')).toBeUndefined();
    expect(await segmentsOf(disk)).toHaveLength(1);
  });

  it('replaces its inputs, and stays older than segments flushed while it ran', async () => {
    const disk = new CrashDisk(1);
    const jobs = new HeldMerges(disk);
    const store = await openStore(disk, { jobs });
    await putAll(store, recordsOfSize(30, 'base-'));
    await store.flush();
    for (const records of [
      { a: '1', k1: '1' },
      { a: '2', k2: '2', k3: 'longer' },
    ]) {
      await putAll(store, records);
      await store.flush();
    }
    await jobs.held.promise;
    await putAll(store, { a: '3' });
    await store.flush();
    const before = store.stats();

    jobs.letGo.resolve(undefined);
    while (store.stats().compactions === 0) await new Promise(setImmediate);

    const expected = { ...recordsOfSize(30, 'base-'), a: '3', k1: '1', k2: '2', k3: 'longer' };
    expect([before.segments, before.compactions]).toEqual([4, 0]);
    expect(store.stats().segments).toBe(3);
    expect(Object.fromEntries(await contentOf(store))).toEqual(expected);
    await store.close();
    const again = await openStore(disk);
    expect(again.stats().segments).toBe(3);
    expect(Object.fromEntries(await contentOf(again))).toEqual(expected);
  });

  it('is cancelled when the store is closed, and runs again after the next flush', async () => {
    const disk = new CrashDisk(1);
    const jobs = new HeldMerges(disk);
    const store = await openStore(disk, { jobs });
    for (const records of [
      { a: '1', k1: '1' },
      { a: '2', k2: '2', k3: 'longer' },
    ]) {
      await putAll(store, records);
      await store.flush();
    }
    await jobs.held.promise;

    await store.close();

    const log = new MemoryLog();
    const place = { disk, log, store: await openStore(disk, { log }) };
    expect(place.store.stats()).toMatchObject({ segments: 2, compactions: 0 });
    await flushAll(place, { a: '3' });
    expect(mergesOf(log)).toEqual([{ inputs: 3, older: 0 }]);
    expect(await segmentsOf(disk)).toHaveLength(1);
    expect(Object.fromEntries(await contentOf(place.store))).toEqual({
      a: '3',
      k1: '1',
      k2: '2',
      k3: 'longer',
    });
  });

  it('runs beside concurrent flushes without losing records', async () => {
    const place = await storeWithBase();
    const { disk, store, log } = place;

    await Promise.all(
      Array.from({ length: 12 }, async (_, i) => {
        await putAll(store, { a: String(i), [`k${i}`]: 'x'.repeat(900) });
      }),
    );
    await flushAll(place, { last: '1' }, { last: '2', longer: 'x' });

    const written = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`k${i}`, 'x'.repeat(900)]));
    const expected = {
      ...recordsOfSize(100, 'base-'),
      ...written,
      a: '11',
      b: 'base',
      last: '2',
      longer: 'x',
    };
    expect(Object.fromEntries(await contentOf(store))).toEqual(expected);
    await store.close();
    expect(Object.fromEntries(await contentOf(await openStore(disk)))).toEqual(expected);
    expect(mergesOf(log)).toContainEqual(expect.objectContaining({ older: 1 }));
  });
});

describe('many flushes', () => {
  it('leave few segments, and most merges leave out older ones', async () => {
    const [disk, log] = [new CrashDisk(1), new MemoryLog()];
    const store = await openStore(disk, { log });
    const flushes = 64;
    let writtenBytes = 0;
    for (let i = 0; i < flushes; i++) await flushAll({ disk, store, log }, recordsOfSize(3, `${i}-`, i));
    await store.close();

    const merges = log.of('storage.compacted');
    for (const { fields } of merges) writtenBytes += Number(fields['bytes']);
    const flushed = log.of('storage.flushed');
    const flushedBytes = flushed.reduce((sum, { fields }) => sum + Number(fields['bytes']), 0);
    const partial = merges.filter(({ fields }) => Number(fields['older']) > 0);
    expect(flushed).toHaveLength(flushes);
    expect(partial.length).toBeGreaterThan(merges.length / 2);
    expect(writtenBytes).toBeLessThan((flushedBytes * (Math.log2(flushes) + 1)) / 2);
    expect(await contentOf(await openStore(disk))).toHaveLength(flushes * 3);
    expect((await segmentsOf(disk)).length).toBeLessThanOrEqual(1 + Math.log2(flushes));
  });
});
