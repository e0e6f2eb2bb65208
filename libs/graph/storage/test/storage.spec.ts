import { describe, expect, it } from '@jest/globals';
import { InlineJobRunner } from '#graph/storage';
import type { DiskFile, OpenMode, OpenOptions } from '#platform/disk';
import { CrashDisk } from '#testing';
import { FROZEN_GENERATIONS_MAX, LARGE_BATCH_BYTES } from '../src/store/limits.ts';
import {
  bytes,
  contentOf,
  DIRECTORY,
  MemoryLog,
  openStore,
  putAll,
  recordsOf,
  SMALL_WAL_BYTES,
  text,
  valueOf,
} from './store-harness.ts';
import { seededRandom } from '#platform/foundation';

const FAR_FUTURE_MS = 4e12;
/** Nothing is flushed. */
const NO_JOBS = {
  start: () => ({ result: new Promise<never>(() => undefined), cancel: () => Promise.resolve() }),
};

/** A disk whose next read waits for `letGo`. */
class HeldReads extends CrashDisk {
  readonly held = Promise.withResolvers<undefined>();
  #letGo: PromiseWithResolvers<undefined> | undefined;
  #name = '';

  constructor() {
    super(1);
  }

  /** Affects files whose name starts with this prefix. */
  hold(name = ''): void {
    this.#name = name;
    this.#letGo = Promise.withResolvers();
  }

  letGo(): void {
    this.#letGo?.resolve(undefined);
  }

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await super.open(path, mode);
    return {
      ...file,
      read: async (into, position) => {
        if (this.#letGo !== undefined && path.includes(`/${this.#name}`)) {
          this.held.resolve(undefined);
          await this.#letGo.promise;
        }
        return file.read(into, position);
      },
    };
  }
}

/** Enough for its own frame. */
function valuesOf(word: string): Record<string, string> {
  const keys = Array.from({ length: 20 }, (_, at) => `k${String(at).padStart(2, '0')}`);
  return Object.fromEntries(keys.map((key) => [key, `${word} ${key} ${'x'.repeat(1_000)}`]));
}

/** What is written to log files: frames, and zeros ahead of them. */
class WatchedLog extends CrashDisk {
  readonly written: ('frame' | 'zeros')[] = [];
  failure: Error | undefined;

  override async open(path: string, mode: OpenMode, options?: OpenOptions): Promise<DiskFile> {
    const file = await super.open(path, mode, options);
    if (!path.includes('/wal-0')) return file;
    return {
      ...file,
      write: async (what, position) => {
        const isZeros = what.every((byte) => byte === 0);
        if (isZeros && this.failure !== undefined) throw this.failure;
        await file.write(what, position);
        if (position > 0) this.written.push(isZeros ? 'zeros' : 'frame');
      },
    };
  }

  /** Resolves when so much was written, or nothing more comes. */
  async wrote(count: number): Promise<void> {
    for (let turn = 0; turn < 100 && this.written.length < count; turn++) await new Promise(setImmediate);
  }
}

describe('Storage', () => {
  it('returns a record before and after its sync', async () => {
    const store = await openStore(new CrashDisk(1));
    const batch = store.batch();
    batch.put(bytes('a'), bytes('1'));

    const { seq, durable } = store.append(batch);

    expect(await valueOf(store, 'a')).toBe('1');
    expect(store.durableSeq).toBe(0);
    await durable;
    expect(store.durableSeq).toBe(seq);
  });

  it('numbers batches from 1 in the order of appends', async () => {
    const store = await openStore(new CrashDisk(1));

    const seqs = [
      await putAll(store, { a: '1' }),
      await putAll(store, { a: '2' }),
      await putAll(store, { b: '3' }),
    ];

    expect(seqs).toEqual([1, 2, 3]);
  });

  it('shares one sync among the batches that arrive while one runs', async () => {
    const store = await openStore(new CrashDisk(1));

    await Promise.all(Array.from({ length: 64 }, (_, i) => putAll(store, { [`k${i}`]: 'v' })));

    expect(store.stats().appends).toBe(64);
    expect(store.stats().syncs).toBe(1);
  });

  it('gathers small batches for a given time, and writes them at once when it is closed', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { gatherMs: 60_000 });
    const written = [putAll(store, { a: '1' })];
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    written.push(putAll(store, { b: '2' }));
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    const before = [store.seq, store.durableSeq, await valueOf(store, 'b')];
    await store.close();
    await Promise.all(written);

    expect(before).toEqual([2, 0, '2']);
    expect(store.stats().syncs).toBe(1);
    expect(await contentOf(await openStore(disk))).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
  });

  it('starts the write of an eager batch before append returns, and of small ones at the end of the turn', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { walFileBytes: 2 ** 20 });
    const callsOf = (bytes: number): { calls: number; durable: Promise<void> } => {
      const batch = store.batch();
      batch.put(Uint8Array.of(1), new Uint8Array(bytes));
      const before = disk.calls;
      const { durable } = store.append(batch);
      return { calls: disk.calls - before, durable };
    };

    const small = callsOf(100);
    await small.durable;
    const large = callsOf(20_000);
    await large.durable;

    expect(small.calls).toBe(0);
    expect(large.calls).toBe(1);
  });

  it('starts the frame of an eager batch before the writers of the previous frame resume', async () => {
    const groups: number[] = [];
    const store = await openStore(new CrashDisk(1), { onCommit: (batches) => groups.push(batches) });
    const value = 'v'.repeat(20_000);

    const first = putAll(store, { a: value });
    const second = putAll(store, { b: value });
    await first;
    const third = putAll(store, { c: 'small' });
    await Promise.all([second, third]);

    expect(groups).toEqual([1, 1, 1]);
  });

  it('reports each group to onCommit', async () => {
    const groups: number[] = [];
    const store = await openStore(new CrashDisk(1), { onCommit: (batches) => groups.push(batches) });

    await Promise.all([putAll(store, { a: '1' }), putAll(store, { b: '1' })]);
    await putAll(store, { c: '1' });

    expect(groups).toEqual([2, 1]);
  });

  it('keeps consecutive group commits of many batches over a reopen', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    for (let group = 0; group < 3; group++) {
      await Promise.all(Array.from({ length: 5 }, (_, i) => putAll(store, { [`k${group}-${i}`]: 'v' })));
    }
    await store.close();

    const again = await openStore(disk);

    expect([store.stats().syncs, store.durableSeq]).toEqual([3, 15]);
    expect([again.seq, (await contentOf(again)).length]).toEqual([15, 15]);
    await again.flush();
    expect(await contentOf(again)).toHaveLength(15);
  });

  it('keeps its content over a reopen', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    await putAll(store, { b: '2', a: '1' });
    await store.close();

    const again = await openStore(disk);

    expect(await contentOf(again)).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    expect(again.seq).toBe(1);
  });

  it('returns only the newest version across memory and segments', async () => {
    const store = await openStore(new CrashDisk(1));
    await putAll(store, { a: 'old', b: 'old' });
    await store.flush();
    await putAll(store, { a: 'new' });

    const content = await contentOf(store);

    expect(content).toEqual([
      ['a', 'new'],
      ['b', 'old'],
    ]);
    expect(await valueOf(store, 'b')).toBe('old');
  });

  it('scans the keys of a prefix in byte order', async () => {
    const store = await openStore(new CrashDisk(1));
    await putAll(store, { 'e\uffff': '1', e: '2', 'e\u{1f600}': '3', f: '4', d: '5' });
    await store.flush();
    await putAll(store, { ez: '6' });

    const keys = (await contentOf(store, 'e')).map(([key]) => key);

    expect(keys).toEqual(['e', 'ez', 'e\uffff', 'e\u{1f600}']);
  });

  it('scans a prefix, a range, and changes since a sequence number, over segments of many blocks', async () => {
    const store = await openStore(new CrashDisk(1), { walFileBytes: 2 ** 24 });
    const random = seededRandom(3);
    const model = new Map<string, { value: string; seq: number }>();
    for (let round = 0; round < 4; round++) {
      for (let i = 0; i < 60; i++) {
        const key = `${'abc'[i % 3] ?? ''}${Math.floor(random() * 60)}`;
        const value = `${round}-${i}`.repeat(1 + Math.floor(random() * 2_500));
        model.set(key, { value, seq: await putAll(store, { [key]: value }) });
      }
      if (round > 0) await store.flush();
      if (round === 1) await store.compact();
    }

    const ranges = [undefined, ['', 'b2'], ['b', 'b1'], ['a59', 'z'], ['b1\0', 'b'], ['c', 'c\0']] as const;
    const cases = ['', 'a', 'b', 'b1', 'c', 'd', 'b59\0'].flatMap((prefix) =>
      [0, 1, 100, 120, 180, 200, 239, 240].flatMap((sinceSeq) =>
        ranges.map((range) => ({ prefix, sinceSeq, range })),
      ),
    );
    for (const { prefix, sinceSeq, range } of cases) {
      const [from, before] = range?.map(bytes) ?? [];
      const shown = await recordsOf(
        store.scan(bytes(prefix), { sinceSeq, ...(from && { from }), ...(before && { before }) }),
      );
      const expected = [...model].filter(
        ([key, { seq }]) =>
          key.startsWith(prefix) &&
          seq > sinceSeq &&
          (range === undefined || (key >= range[0] && key < range[1])),
      );
      expect(shown.map((record) => [text(record.key), text(record.value), record.seq])).toEqual(
        expected
          .map(([key, { value, seq }]) => [key, value, seq])
          .sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
      );
    }
    for (const [key, { value }] of model) expect(await valueOf(store, key)).toBe(value);
  });

  it('hides a deleted key from get, and returns its tombstone to a scan with includeDeleted', async () => {
    const store = await openStore(new CrashDisk(1));
    await putAll(store, { a: '1' });
    const batch = store.batch();
    batch.delete(bytes('a'), bytes('last'), FAR_FUTURE_MS);
    await store.append(batch).durable;

    for (const prepare of [() => Promise.resolve(), () => store.flush(), () => store.compact()]) {
      await prepare();
      const shown = await recordsOf(store.scan(bytes(''), { includeDeleted: true }));

      expect(await valueOf(store, 'a')).toBeUndefined();
      expect(await contentOf(store)).toEqual([]);
      expect(shown.map((record) => [text(record.value), record.isDeleted])).toEqual([['last', true]]);
    }
  });

  it('purges an expired tombstone by compaction, and keeps an unexpired one', async () => {
    const clock = { nowMs: () => 1000, monotonicMs: () => 0 };
    const store = await openStore(new CrashDisk(1), { clock });
    await putAll(store, { a: '1', b: '1' });
    const batch = store.batch();
    batch.delete(bytes('a'), bytes('x'), 1000);
    batch.delete(bytes('b'), bytes('x'), 1001);
    await store.append(batch).durable;

    await store.compact();

    const left = await recordsOf(store.scan(bytes(''), { includeDeleted: true }));
    expect(left.map((record) => text(record.key))).toEqual(['b']);
  });

  it('scans only changes since a sequence number', async () => {
    const store = await openStore(new CrashDisk(1));
    await putAll(store, { a: '1', b: '1' });
    await store.flush();
    const since = await putAll(store, { c: '1' });
    await putAll(store, { b: '2' });
    await store.flush();
    await putAll(store, { d: '1' });

    const changed = await recordsOf(store.scan(bytes(''), { sinceSeq: since }));

    expect(changed.map((record) => [text(record.key), record.seq])).toEqual([
      ['b', 3],
      ['d', 4],
    ]);
  });

  it('finds the newest version of each key in a segment, in waiting log files and in memory', async () => {
    const disk = new CrashDisk(1);
    const inline = new InlineJobRunner(disk);
    let areHeld = false;
    const start: InlineJobRunner['start'] = (job) => (areHeld ? NO_JOBS.start() : inline.start(job));
    const store = await openStore(disk, { jobs: { start } });
    const model = new Map<string, string>([['filler', 'x'.repeat(SMALL_WAL_BYTES)]]);
    const layers = [0, 1, 2, 3];
    for (const layer of layers) {
      const batch = store.batch();
      // Each of the 81 keys is a combination of no change, put or delete in each of the four layers.
      for (let i = 0; i < 3 ** layers.length; i++) {
        const what = Math.floor(i / 3 ** layer) % 3;
        if (what === 1) batch.put(bytes(`k${i}`), bytes(`${layer}`));
        if (what === 1) model.set(`k${i}`, `${layer}`);
        if (what === 2) batch.delete(bytes(`k${i}`), bytes('last'), FAR_FUTURE_MS);
        if (what === 2) model.delete(`k${i}`);
      }
      batch.put(bytes('filler'), bytes(model.get('filler') ?? ''));
      await store.append(batch).durable;
      if (layer === 0) await store.flush();
      areHeld = true;
    }

    expect(store.stats()).toMatchObject({ segments: 1, wal_segments: 3 });
    for (let i = 0; i < 3 ** layers.length; i++)
      expect(await valueOf(store, `k${i}`)).toBe(model.get(`k${i}`));
    expect(new Map(await contentOf(store))).toEqual(model);
  });

  it('puts one value under many keys', async () => {
    const store = await openStore(new CrashDisk(1));
    const batch = store.batch();
    batch.putShared(['x', 'y', 'z'].map(bytes), bytes('shared'));
    await store.append(batch).durable;

    await store.compact();

    expect(await contentOf(store)).toEqual([
      ['x', 'shared'],
      ['y', 'shared'],
      ['z', 'shared'],
    ]);
  });

  it('applies the operations of a batch in order', async () => {
    const store = await openStore(new CrashDisk(1));
    const batch = store.batch();
    batch.put(bytes('a'), bytes('1'));
    batch.delete(bytes('a'), bytes(''), FAR_FUTURE_MS);
    batch.put(bytes('a'), bytes('3'));
    batch.put(bytes('b'), bytes('1'));
    batch.delete(bytes('b'), bytes(''), FAR_FUTURE_MS);
    await store.append(batch).durable;

    await store.flush();

    expect(await contentOf(store)).toEqual([['a', '3']]);
  });

  it('accepts a batch larger than a log file', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    const value = 'v'.repeat(3_000_000);
    await putAll(store, { big: value });
    await putAll(store, { small: '1' });
    await store.close();

    const again = await openStore(disk);

    expect(await valueOf(again, 'big')).toBe(value);
    expect(await valueOf(again, 'small')).toBe('1');
  });

  it.each([
    ['small', SMALL_WAL_BYTES],
    ['large', LARGE_BATCH_BYTES],
  ])('continues in a new log file after a first %s batch that fills one', async (_, length) => {
    const store = await openStore(new CrashDisk(1), { jobs: NO_JOBS });
    const before = store.stats();
    await putAll(store, { first: 'x'.repeat(length) });
    const filled = store.stats();
    await putAll(store, { second: '1' });

    expect([before.wal_segments, filled.wal_segments, store.stats().wal_segments]).toEqual([1, 1, 2]);
    expect(await contentOf(store)).toHaveLength(2);
  });

  it('continues in a preallocated file, whose length stays the same with each frame', async () => {
    const disk = new CrashDisk(1);
    const walFileBytes = 64 * 1024;
    const store = await openStore(disk, { walFileBytes, jobs: NO_JOBS });
    for (let i = 0; store.stats().wal_segments < 2; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(1000) });
    const lengthOf = async (): Promise<number> =>
      (await disk.readBytes(`${DIRECTORY}/wal-0000000002`)).length;
    const lengths = [await lengthOf()];
    for (let i = 0; i < 20; i++) {
      await putAll(store, { [`later${i}`]: 'x'.repeat(1000) });
      lengths.push(await lengthOf());
    }

    expect(new Set(lengths)).toEqual(new Set([walFileBytes]));
  });

  it('fills the next piece of the log before the frame that needs it', async () => {
    const disk = new WatchedLog(1);
    const store = await openStore(disk, { walFileBytes: 8 * LARGE_BATCH_BYTES, jobs: NO_JOBS });
    const value = 'x'.repeat(LARGE_BATCH_BYTES * 0.6);

    await putAll(store, { first: value });
    await disk.wrote(3);
    const before = disk.written.slice();
    await putAll(store, { second: value });

    expect(before).toEqual(['zeros', 'frame', 'zeros']);
    expect(disk.written.slice(3)).toEqual(['frame']);
    await store.close();
    expect(await contentOf(await openStore(disk))).toHaveLength(2);
  });

  it('takes no batch after such a piece could not be written, and loses none', async () => {
    const disk = new WatchedLog(1);
    const store = await openStore(disk, { walFileBytes: 8 * LARGE_BATCH_BYTES, jobs: NO_JOBS });
    const value = 'x'.repeat(LARGE_BATCH_BYTES * 0.6);
    await putAll(store, { first: value });
    await disk.wrote(3);
    await putAll(store, { second: value });
    disk.failure = new Error('no medium');
    await putAll(store, { third: value });

    await expect(putAll(store, { fourth: value })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    await store.close();
    disk.failure = undefined;
    expect(await contentOf(await openStore(disk))).toHaveLength(3);
  });

  it('reports the sizes of the log, the memory and the segments', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { jobs: NO_JOBS });
    const random = seededRandom(1);
    const letter = (): string => Math.floor(random() * 36).toString(36);
    const value = Array.from({ length: SMALL_WAL_BYTES }, letter).join('');
    for (let i = 0; i < 3; i++) await putAll(store, { [`k${i}`]: value });
    const operationBytes = 7 + 2 + SMALL_WAL_BYTES;

    const inLog = store.stats();
    disk.crash();
    const after = disk.restart();
    const again = await openStore(after);
    await again.compact();
    await putAll(again, { more: '1' });
    await again.flush();

    expect(inLog).toMatchObject({ wal_segments: 3, memtable_bytes: 3 * operationBytes, segment_bytes: 0 });
    expect(inLog.wal_bytes).toBe(3 * (24 + 8 + operationBytes));
    expect(again.stats()).toMatchObject({ wal_segments: 1, memtable_bytes: 0 });
    const names = (await after.list(DIRECTORY)).filter((name) => name.startsWith('segment-'));
    const lengths = await Promise.all(names.map((name) => after.readBytes(`${DIRECTORY}/${name}`)));
    const segmentBytes = lengths.reduce((sum, { length }) => sum + length, 0);
    expect(again.stats()).toMatchObject({ segments: 2, segment_bytes: segmentBytes });
  });

  it('rotates, flushes and removes log files', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);

    for (let i = 0; i < 40; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(500) });
    await store.flush();

    const names = await disk.list(DIRECTORY);
    expect(names.filter((name) => name.startsWith('wal-0'))).toHaveLength(1);
    expect(store.stats().segments).toBeGreaterThan(0);
    expect(await contentOf(store)).toHaveLength(40);
  });

  it('flushes a long log on close, and keeps a short one', async () => {
    const disk = new CrashDisk(1);
    const options = { walFileBytes: 64 * 1024 * 1024 };
    const store = await openStore(disk, options);
    const long = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 5; i++) await putAll(store, { [`k${i}`]: long });
    await store.close();

    const again = await openStore(disk, options);
    const flushed = again.stats();
    await putAll(again, { short: 'x' });
    await again.close();
    const last = await openStore(disk, options);

    expect(flushed).toMatchObject({ segments: 1, memtable_bytes: 0 });
    expect(last.stats()).toMatchObject({ segments: 1, wal_segments: 1 });
    expect(last.stats().memtable_bytes).toBeGreaterThan(0);
    expect(await contentOf(last)).toHaveLength(6);
  });

  it('flushes at open the complete log files of a process that has ended', async () => {
    const disk = new CrashDisk(1);
    const never = {
      start: () => ({ result: new Promise<never>(() => undefined), cancel: () => Promise.resolve() }),
    };
    const store = await openStore(disk, { jobs: never });
    for (let i = 0; i < 20; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(500) });
    const pending = (await disk.list(DIRECTORY)).filter((name) => name.startsWith('wal-0'));
    disk.crash();

    const after = disk.restart();
    const again = await openStore(after);
    await again.flush();

    expect(pending.length).toBeGreaterThan(1);
    expect(again.stats()).toMatchObject({ wal_segments: 1, memtable_bytes: 0 });
    expect(await contentOf(again)).toHaveLength(20);
  });

  it('hides later batches from a scan that has begun', async () => {
    const store = await openStore(new CrashDisk(1));
    await putAll(store, Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, 'old'])));
    await store.flush();
    const scan = store.scan(bytes(''));

    const first = await scan.next();
    await putAll(store, { k9: 'new', zz: 'new' });
    await store.compact();
    const rest = await recordsOf(scan);

    const values = [...(first.value ?? []), ...rest].map((record) => text(record.value));
    expect(values).toHaveLength(2000);
    expect(new Set(values)).toEqual(new Set(['old']));
  });

  it('reads a key while its segments are merged and removed', async () => {
    const disk = new HeldReads();
    const store = await openStore(disk);
    await putAll(store, { a: '1' });
    await store.flush();
    await putAll(store, { b: '1', c: 'x'.repeat(99) });
    await store.flush();
    disk.hold();

    const found = valueOf(store, 'a');
    await disk.held.promise;
    disk.letGo();
    await store.compact();

    expect(await found).toBe('1');
    expect(await valueOf(store, 'a')).toBe('1');
  });

  it('reads eager batches back from the log, in order with small ones', async () => {
    const disk = new HeldReads();
    const store = await openStore(disk, { walFileBytes: 2 ** 20, jobs: NO_JOBS });
    await putAll(store, valuesOf('first'));
    await putAll(store, { k05: 'small' });
    await Promise.all([putAll(store, { k06: 'x'.repeat(20_000) }), putAll(store, { k07: 'beside' })]);
    await putAll(store, { ...valuesOf('last'), k00: 'shortest' });
    disk.hold('wal-');

    const content = contentOf(store);
    await disk.held.promise;
    disk.letGo();

    const last: Record<string, string> = { ...valuesOf('last'), k00: 'shortest' };
    expect(await content).toEqual(Object.entries(last));
    await putAll(store, { k05: 'newest' });
    expect(await valueOf(store, 'k05')).toBe('newest');
    expect(await valueOf(store, 'k06')).toBe(last['k06']);
  });

  it('keeps in memory an eager batch that was read before it was durable', async () => {
    const store = await openStore(new CrashDisk(1), { walFileBytes: 2 ** 20, jobs: NO_JOBS });
    const first = putAll(store, valuesOf('first'));

    const found = await valueOf(store, 'k05');
    await first;
    await putAll(store, valuesOf('second'));

    expect(found).toBe(valuesOf('first').k05);
    expect(await contentOf(store)).toEqual(Object.entries(valuesOf('second')));
  });

  it('reports a damaged frame of the log with its position when reading it back', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { walFileBytes: 2 ** 20, jobs: NO_JOBS });
    await putAll(store, valuesOf('first'));
    const name = (await disk.list(DIRECTORY)).find((each) => /^wal-\d+$/.test(each)) ?? '';
    const file = await disk.open(`${DIRECTORY}/${name}`, 'write');
    await file.write(bytes('?'), 5_000);

    const read = valueOf(store, 'k05');

    await expect(read).rejects.toMatchObject({ code: 'STORE_CORRUPT', details: { file: name } });
  });

  it('reads a key from a segment that is merged while a batch is read back from the log', async () => {
    const disk = new HeldReads();
    const store = await openStore(disk, { walFileBytes: 2 ** 20 });
    await putAll(store, { a: '1' });
    await store.flush();
    await putAll(store, { b: '1' });
    await store.flush();
    await putAll(store, valuesOf('first'));
    disk.hold('wal-');

    const found = valueOf(store, 'a');
    await disk.held.promise;
    const compacted = store.compact();
    disk.letGo();
    await compacted;

    expect(await found).toBe('1');
    expect(await contentOf(store, 'k')).toHaveLength(20);
  });

  it('delays writers while too many log files wait for their flush, and then accepts all batches', async () => {
    const disk = new CrashDisk(1);
    const letGo = Promise.withResolvers<undefined>();
    const inline = new InlineJobRunner(disk);
    const jobs = {
      start: (job: Parameters<InlineJobRunner['start']>[0]) => {
        const result = letGo.promise.then(() => inline.start(job).result);
        return { result, cancel: () => Promise.resolve() };
      },
    };
    const store = await openStore(disk, { jobs });
    let written = 0;
    const write = async (): Promise<void> => {
      for (; written < 30; written++) await putAll(store, { [`k${written}`]: 'x'.repeat(SMALL_WAL_BYTES) });
    };
    const writing = write();
    let before = -1;
    while (before < written) {
      before = written;
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    }

    const files = (await disk.list(DIRECTORY)).filter((name) => name.startsWith('wal-0'));
    expect(written).toBeLessThan(30);
    expect(files.length).toBeLessThanOrEqual(FROZEN_GENERATIONS_MAX + 1);
    letGo.resolve(undefined);
    await writing;
    expect(await contentOf(store)).toHaveLength(30);
  });

  it('rejects a batch after close', async () => {
    const store = await openStore(new CrashDisk(1));
    const batch = store.batch();

    await store.close();

    expect(() => store.append(batch)).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
  });

  it('leaves no lock and no preallocated space after close', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk);
    await putAll(store, { a: 'x'.repeat(3000) });

    await store.close();

    expect(await disk.list(DIRECTORY)).toEqual(['MANIFEST', 'wal-0000000001']);
    expect((await disk.readBytes(`${DIRECTORY}/wal-0000000001`)).length).toBeLessThan(4096);
  });

  it('logs the recovered content at open', async () => {
    const log = new MemoryLog();

    await openStore(new CrashDisk(1), { log });

    expect(log.lines).toEqual([expect.objectContaining({ level: 'info', event: 'storage.opened' })]);
  });
});
