import { describe, expect, it } from '@jest/globals';
import { InlineJobRunner, readLog, repairStore, type LogEntry, type Storage } from '#graph/storage';
import { CrashDisk } from '#testing';
import { type Manifest, readManifest, writeManifest } from '../src/store/manifest.ts';
import { bytes, contentOf, DIRECTORY, MemoryLog, openStore, putAll, text, valueOf } from './store-harness.ts';

const WAL = `${DIRECTORY}/wal-0000000001`;
const MANIFEST = `${DIRECTORY}/MANIFEST`;
/** Nothing is flushed. */
const NO_JOBS = {
  start: () => ({ result: new Promise<never>(() => undefined), cancel: () => Promise.resolve() }),
};

async function storeWith(
  batches: number,
  disk = new CrashDisk(1),
): Promise<{ disk: CrashDisk; store: Storage }> {
  const store = await openStore(disk, { walFileBytes: 1_000_000 });
  for (let i = 1; i <= batches; i++) await putAll(store, { [`k${i}`]: `value ${i}` });
  return { disk, store };
}

async function overwrite(disk: CrashDisk, path: string, position: number, value: Uint8Array): Promise<void> {
  const file = await disk.open(path, 'write');
  await file.write(value, position);
  await file.sync();
}

async function entriesOf(disk: CrashDisk): Promise<LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const entry of readLog(disk, DIRECTORY)) entries.push(entry);
  return entries;
}

/** The manifest in the form of a release without `last_wal`. */
async function writeOlderManifest(disk: CrashDisk): Promise<void> {
  const manifest = JSON.stringify(await readManifest(disk, DIRECTORY));
  await writeManifest(disk, DIRECTORY, JSON.parse(manifest.replace(/,"last_wal":\d+/, '')) as Manifest);
}

/** Offset of the n-th frame. */
async function frameOffset(disk: CrashDisk, n: number): Promise<number> {
  const entry = (await entriesOf(disk))[n - 1];
  if (entry?.kind !== 'batch') throw new Error(`no batch ${n}`);
  return entry.frame.offset;
}

describe('recovery', () => {
  it('cuts and logs a torn tail, and continues', async () => {
    const { disk } = await storeWith(3);
    const offset = await frameOffset(disk, 3);
    await overwrite(disk, WAL, offset + 30, Uint8Array.of(255));
    const log = new MemoryLog();

    const store = await openStore(disk.restart(), { log });

    expect(store.seq).toBe(2);
    expect(log.lines).toContainEqual(expect.objectContaining({ level: 'warn', event: 'storage.torn_tail' }));
    expect(await putAll(store, { k3: 'again' })).toBe(3);
    expect(await valueOf(store, 'k3')).toBe('again');
  });

  it('removes a torn tail completely', async () => {
    const { disk } = await storeWith(3);
    await overwrite(disk, WAL, (await frameOffset(disk, 3)) + 30, Uint8Array.of(255));
    const after = disk.restart();
    await openStore(after);
    const log = new MemoryLog();

    await openStore(after.restart(), { log });

    expect(log.lines.map((line) => line.event)).not.toContain('storage.torn_tail');
  });

  it('rejects a corrupt middle with file and offset', async () => {
    const { disk } = await storeWith(3);
    const offset = await frameOffset(disk, 2);
    await overwrite(disk, WAL, offset + 30, Uint8Array.of(255));

    const opened = openStore(disk.restart());

    const details = { file: 'wal-0000000001', offset };
    await expect(opened).rejects.toMatchObject({ code: 'STORE_CORRUPT', details });
  });

  it.each([
    ['that repeats an earlier one', 1],
    ['after a missing one', 3],
  ])('rejects an intact frame %s, and readLog does not return it', async (_, other) => {
    const { disk } = await storeWith(3);
    const [second, third] = [await frameOffset(disk, 2), await frameOffset(disk, 3)];
    const frame = (await disk.readBytes(WAL))
      .slice(await frameOffset(disk, other))
      .subarray(0, third - second);
    await overwrite(disk, WAL, second, frame);
    if (other === 3) await overwrite(disk, WAL, third, new Uint8Array(frame.length));

    const shown = await entriesOf(disk);

    expect(shown.map((entry) => (entry.kind === 'batch' ? entry.seq : entry.kind))).toEqual([1, 'corrupt']);
    await expect(openStore(disk.restart())).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { file: 'wal-0000000001', offset: second },
    });
  });

  it('rejects a log without its last file, until a repair accepts the shorter log', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { walFileBytes: 400 });
    for (let i = 1; i <= 7; i++) await putAll(store, { [`k${i}`]: `value ${i} ${'x'.repeat(100)}` });
    await store.close();
    const names = (await disk.list(DIRECTORY)).filter((name) => name.startsWith('wal-'));
    const last = names.at(-1) ?? '';
    await disk.remove(`${DIRECTORY}/${last}`);
    await disk.syncDirectory(DIRECTORY);

    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: `missing log file in ${last} at offset 0`,
    });
    const report = await repairStore(disk, DIRECTORY);
    const repaired = await openStore(disk);

    expect(report?.kept).toEqual([]);
    expect(repaired.seq).toBe(report?.lastSeq);
    expect((await contentOf(repaired)).length).toBeLessThan(7);
  });

  it.each([
    ['is broken', 'broken frame before intact ones', -1],
    ['is followed by other bytes', 'broken frame before intact ones', 0],
  ])('rejects a log file before the last, by name, if its last frame %s', async (_, message, back) => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { walFileBytes: 700, jobs: NO_JOBS });
    for (let i = 1; i <= 6; i++) await putAll(store, { [`k${i}`]: `value ${i} ${'x'.repeat(100)}` });
    disk.crash();
    const after = disk.restart();
    const frames = (await entriesOf(after)).flatMap((entry) =>
      entry.kind === 'batch' && entry.file === 'wal-0000000001' ? [entry.frame] : [],
    );
    const last = frames.at(-1) ?? { offset: NaN, bytes: NaN };
    const end = last.offset + last.bytes;
    await overwrite(after, WAL, end + back, Uint8Array.of(255));

    await expect(openStore(after)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringContaining(message),
      details: { file: 'wal-0000000001', offset: back === 0 ? end : last.offset },
    });
  });

  it('rejects a log file without a header, unless it is the last and empty', async () => {
    const writtenFiles = async (): Promise<CrashDisk> => {
      const disk = new CrashDisk(1);
      const store = await openStore(disk, { walFileBytes: 700, jobs: NO_JOBS });
      for (let i = 1; i <= 6; i++) await putAll(store, { [`k${i}`]: `value ${i} ${'x'.repeat(100)}` });
      disk.crash();
      return disk.restart();
    };
    const empty = await writtenFiles();
    await overwrite(empty, WAL, 0, new Uint8Array((await empty.readBytes(WAL)).length));
    const written = await writtenFiles();
    const names = (await written.list(DIRECTORY)).filter((name) => name.startsWith('wal-0'));
    const last = names.at(-1) ?? '';
    await overwrite(written, `${DIRECTORY}/${last}`, 0, new Uint8Array(512));

    const message = /^broken log header/;
    await expect(openStore(empty)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringMatching(message),
      details: { file: 'wal-0000000001', offset: 0 },
    });
    await expect(openStore(written)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: expect.stringMatching(message),
      details: { file: last, offset: 0 },
    });
  });

  it('rejects a log without its first file', async () => {
    const { disk, store } = await storeWith(2);
    await store.close();
    await disk.rename(WAL, `${DIRECTORY}/wal-0000000002`);

    await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('does not mistake a stored value with the bytes of a frame for a frame', async () => {
    const { disk } = await storeWith(1);
    const frame = (await disk.readBytes(WAL)).slice(512, 600);
    const other = new CrashDisk(2);
    const { store } = await storeWith(1, other);
    const batch = store.batch();
    batch.put(bytes('frame'), frame);
    await store.append(batch).durable;
    await overwrite(other, WAL, (await frameOffset(other, 2)) + 8, Uint8Array.of(99));

    const again = await openStore(other.restart());

    expect(again.seq).toBe(1);
  });

  it('rejects a log that ends before its image, which contains durable batches only', async () => {
    const { disk, store } = await storeWith(3);
    await store.saveImage(3, [{ bytes: bytes('three') }]);
    const crashed = disk.restart();
    const offset = await frameOffset(crashed, 3);
    const file = await crashed.open(WAL, 'write');
    await file.truncate(offset);

    await expect(openStore(crashed)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: `batches 3 to 3 are missing in wal-0000000001 at offset ${offset}`,
    });
  });

  it('rejects a missing log with an image of its batches under a manifest of an older release', async () => {
    const { disk, store } = await storeWith(2);
    await store.saveImage(2, [{ bytes: bytes('two') }]);
    await store.close();
    await writeOlderManifest(disk);
    await disk.remove(WAL);

    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: 'batches 1 to 2 are missing in wal-0000000001 at offset 0',
    });
  });

  it('removes only files left by an interrupted flush, merge, save or rotation', async () => {
    const { disk, store } = await storeWith(1);
    await store.flush();
    await putAll(store, { later: '1' });
    await store.saveImage(2, [{ bytes: bytes('two') }]);
    await store.close();
    const used = await disk.list(DIRECTORY);
    const ours = [
      'segment-0000000009',
      'image-0000000009',
      'wal-0000000001',
      'MANIFEST.tmp',
      'wal-spare.tmp',
    ];
    const others = ['damaged-wal-0000000001', 'notes.txt', 'segment-1', 'wal-spare.old'];
    for (const name of [...ours, ...others]) await disk.writeNew(`${DIRECTORY}/${name}`, bytes('left'));

    const again = await openStore(disk);

    const left = (await disk.list(DIRECTORY)).filter((name) => !name.startsWith('lock-'));
    expect(left).toEqual([...used, ...others].sort());
    expect(await contentOf(again)).toHaveLength(2);
  });

  it('rejects a manifest whose format is not a number', async () => {
    const { disk } = await storeWith(1);
    await overwrite(disk, MANIFEST, 'plexus-manifest '.length, bytes('x'));

    await expect(openStore(disk.restart())).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });

  it('rejects a damaged manifest, and a missing one beside a log', async () => {
    const broken = await storeWith(1);
    await overwrite(broken.disk, MANIFEST, 40, Uint8Array.of(0));
    const missing = await storeWith(1);
    await missing.disk.remove(MANIFEST);
    await missing.disk.syncDirectory(DIRECTORY);

    for (const { disk } of [broken, missing]) {
      await expect(openStore(disk.restart())).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
  });

  it('rejects a missing segment, and a damaged one', async () => {
    for (const spoil of ['remove', 'overwrite'] as const) {
      const { disk, store } = await storeWith(1);
      await store.flush();
      await store.close();
      const path = `${DIRECTORY}/segment-0000000001`;
      if (spoil === 'remove') await disk.remove(path);
      else await overwrite(disk, path, (await disk.readBytes(path)).length - 30, Uint8Array.of(1, 2, 3));

      await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    }
  });

  it('reports the damaged block of a segment on a read', async () => {
    const { disk, store } = await storeWith(1);
    await store.flush();
    await overwrite(disk, `${DIRECTORY}/segment-0000000001`, 30, Uint8Array.of(1, 2, 3));

    const read = store.get(bytes('k1'));

    const details = { file: 'segment-0000000001', offset: 16 };
    await expect(read).rejects.toMatchObject({ code: 'STORE_CORRUPT', details });
  });

  it('rejects a newer manifest without any change', async () => {
    const { disk, store } = await storeWith(1);
    await store.close();
    const newer = (await disk.readText(MANIFEST)).replace('plexus-manifest 2 ', 'plexus-manifest 3 ');
    await overwrite(disk, MANIFEST, 0, bytes(newer));
    disk.plan({});

    await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });

    expect(disk.calls).toBe(0);
  });

  it('makes a store of an earlier format one of this before it writes into it', async () => {
    const { disk, store } = await storeWith(1);
    await store.close();
    const older = (await disk.readText(MANIFEST)).replace('plexus-manifest 2 ', 'plexus-manifest 1 ');
    await overwrite(disk, MANIFEST, 0, bytes(older));

    await (await openStore(disk)).close();

    expect(await disk.readText(MANIFEST)).toMatch(/^plexus-manifest 2 /);
  });

  it('reports a read-only directory', async () => {
    const disk = new CrashDisk(1);
    disk.plan({ failAt: { call: 1, code: 'EROFS' } });

    const opened = openStore(disk);

    await expect(opened).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: `cannot open the data directory ${DIRECTORY}: make directory failed with EROFS`,
    });
  });
});

describe('readLog', () => {
  it('returns batches with their operations while the store is open', async () => {
    const { disk, store } = await storeWith(1);
    const batch = store.batch();
    batch.putShared([bytes('a'), bytes('b')], bytes('v'));
    batch.delete(bytes('k1'), bytes('last'), 77);
    await store.append(batch).durable;

    const last = (await entriesOf(disk)).at(-1);

    expect(last).toMatchObject({ kind: 'batch', seq: 2, operationCount: 2, frame: { batches: 1 } });
    const operations = last?.kind === 'batch' ? [...last.operations()] : [];
    expect(operations).toEqual([
      { kind: 'putShared', keys: [bytes('a'), bytes('b')], value: bytes('v') },
      { kind: 'delete', key: bytes('k1'), value: bytes('last'), purgeAtMs: 77 },
    ]);
  });

  it('reports torn and corrupt frames with their offset', async () => {
    const { disk } = await storeWith(3);
    const [second, third] = [await frameOffset(disk, 2), await frameOffset(disk, 3)];

    await overwrite(disk, WAL, third + 30, Uint8Array.of(255));
    const torn = (await entriesOf(disk)).at(-1);
    const good = await storeWith(3);
    await overwrite(good.disk, WAL, second + 30, Uint8Array.of(255));
    const corrupt = (await entriesOf(good.disk)).at(-1);

    const file = 'wal-0000000001';
    expect(torn).toEqual({ kind: 'torn', file, offset: third, message: 'the last frame is incomplete' });
    const message = 'a frame is broken, and intact ones follow';
    expect(corrupt).toEqual({ kind: 'corrupt', file, offset: second, message });
  });

  it('reports a file without a header as torn if it is empty, else as corrupt', async () => {
    const { disk } = await storeWith(1);
    await overwrite(disk, WAL, 8, Uint8Array.of(255));
    const unborn = `${DIRECTORY}/wal-0000000002`;
    await disk.writeNew(unborn, new Uint8Array(5_000));
    await overwrite(disk, unborn, 0, bytes('PLEX'));

    const shown = await entriesOf(disk);

    const message = 'the header of the log file is broken';
    expect(shown).toEqual([
      { kind: 'corrupt', file: 'wal-0000000001', offset: 0, message },
      { kind: 'torn', file: 'wal-0000000002', offset: 0, message },
    ]);
  });
});

describe('repairStore', () => {
  it('returns to the last batch before the damage, and keeps a copy', async () => {
    const { disk } = await storeWith(4);
    await overwrite(disk, WAL, (await frameOffset(disk, 3)) + 30, Uint8Array.of(255));
    const damaged = disk.restart();
    const before = await damaged.readBytes(WAL);

    const report = await repairStore(damaged, DIRECTORY);

    expect(report).toMatchObject({ lastSeq: 2, kept: ['damaged-wal-0000000001'] });
    const kept = await damaged.readBytes(`${DIRECTORY}/damaged-wal-0000000001`);
    expect(Buffer.compare(kept, before)).toBe(0);
    expect((await contentOf(await openStore(damaged))).map(([key]) => key)).toEqual(['k1', 'k2']);
  });

  it('does not change an intact log', async () => {
    const { disk, store } = await storeWith(2);
    await store.close();

    expect(await repairStore(disk, DIRECTORY)).toBeUndefined();

    expect(await contentOf(await openStore(disk))).toHaveLength(2);
  });

  it('does not change a log whose last file is incomplete, or a log of an older release', async () => {
    const { disk, store } = await storeWith(2);
    await store.close();
    await disk.writeNew(`${DIRECTORY}/wal-0000000002`, new Uint8Array(5_000));
    const before = await disk.list(DIRECTORY);

    expect(await repairStore(disk, DIRECTORY)).toBeUndefined();
    await writeOlderManifest(disk);
    expect(await repairStore(disk, DIRECTORY)).toBeUndefined();

    expect(await disk.list(DIRECTORY)).toEqual(before);
    expect(await contentOf(await openStore(disk))).toHaveLength(2);
  });

  it('drops an image with batches that it removes', async () => {
    const { disk, store } = await storeWith(4);
    await store.saveImage(4, [{ bytes: bytes('four') }]);
    await overwrite(disk, WAL, (await frameOffset(disk, 3)) + 30, Uint8Array.of(255));
    const damaged = disk.restart();

    const report = await repairStore(damaged, DIRECTORY);

    expect(report?.kept).toEqual(['damaged-wal-0000000001', 'damaged-image-0000000001']);
    expect(await (await openStore(damaged)).loadImage()).toBeUndefined();
  });

  it('keeps an image of exactly the remaining batches', async () => {
    const { disk, store } = await storeWith(4);
    await store.saveImage(2, [{ bytes: bytes('two') }]);
    await overwrite(disk, WAL, (await frameOffset(disk, 3)) + 30, Uint8Array.of(255));
    const damaged = disk.restart();

    const report = await repairStore(damaged, DIRECTORY);

    expect(report).toMatchObject({ lastSeq: 2, kept: ['damaged-wal-0000000001'] });
    expect((await (await openStore(damaged)).loadImage())?.seq).toBe(2);
  });

  it('keeps the copy of an earlier repair, complete or not', async () => {
    const { disk } = await storeWith(4);
    await overwrite(disk, WAL, (await frameOffset(disk, 3)) + 30, Uint8Array.of(255));
    const damaged = disk.restart();
    await damaged.writeNew(`${DIRECTORY}/damaged-wal-0000000001`, bytes('earlier'));

    const report = await repairStore(damaged, DIRECTORY);

    expect(report?.kept).toEqual(['damaged-wal-0000000001.2']);
    expect(await damaged.readText(`${DIRECTORY}/damaged-wal-0000000001`)).toBe('earlier');
  });

  it('discards batches that are only in the image', async () => {
    const { disk, store } = await storeWith(2);
    await store.saveImage(2, [{ bytes: bytes('two') }]);
    await store.close();
    await disk.remove(WAL);

    const report = await repairStore(disk, DIRECTORY);

    expect(report).toEqual({
      file: 'wal-0000000001',
      offset: 0,
      lastSeq: 0,
      kept: ['damaged-image-0000000001'],
    });
    expect(await contentOf(await openStore(disk))).toEqual([]);
  });
});

describe('the directory lock', () => {
  it('rejects a second store on the directory with the id of the process', async () => {
    const { disk, store } = await storeWith(1);

    const message = expect.stringContaining('process 1');
    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_LOCKED',
      message,
      details: { pid: 1 },
    });

    await store.close();
    await (await openStore(disk)).close();
  });

  it('takes over the lock of a process that has ended, and logs it', async () => {
    const { disk } = await storeWith(1);
    await disk.syncDirectory(DIRECTORY);
    const log = new MemoryLog();

    await openStore(disk.restart(), { log });

    expect(log.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'storage.lock_taken_over' }),
    );
  });

  it('is acquired by one of several concurrent opens', async () => {
    const { disk } = await storeWith(1);
    await disk.syncDirectory(DIRECTORY);
    const after = disk.restart();

    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => openStore(after)));

    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(3);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'STORE_LOCKED' });
  });
});

describe('a poisoned store', () => {
  it('rejects writes, continues to read, and recovers with a new open', async () => {
    const { disk, store } = await storeWith(2);
    const log = new MemoryLog();
    disk.plan({ failAt: { call: 2, code: 'ENOSPC' } });
    const lost = putAll(store, { k3: 'lost' });

    const full = {
      code: 'NO_DISK_SPACE',
      message: expect.stringMatching(/ENOSPC\): free space, then restart$/),
    };
    await expect(lost).rejects.toMatchObject(full);

    expect(store.poisoned).toMatchObject(full);
    expect(() => store.append(store.batch())).toThrow(store.poisoned);
    await expect(store.flush()).rejects.toMatchObject(full);
    expect(await valueOf(store, 'k2')).toBe('value 2');
    expect(store.durableSeq).toBe(2);
    await store.close();
    expect((await contentOf(await openStore(disk, { log }))).slice(0, 2).map(([, value]) => value)).toEqual([
      'value 1',
      'value 2',
    ]);
  });

  it('rejects the batches queued behind the failed one', async () => {
    const { disk, store } = await storeWith(1);
    disk.plan({ failAt: { call: 1, code: 'EIO' } });

    const outcomes = await Promise.allSettled([1, 2, 3].map((n) => putAll(store, { [`n${n}`]: 'x' })));

    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('results from a full disk only if records fill it, not preallocated log files', async () => {
    const disk = new CrashDisk(1);
    const store = await openStore(disk, { walFileBytes: 64 * 1024 });
    disk.plan({ capacityBytes: 100 * 1024 });

    for (let i = 0; i < 80; i++) await putAll(store, { [`k${i}`]: 'x'.repeat(1000) });

    expect(store.poisoned).toBeUndefined();
    await store.close();
    expect(await contentOf(await openStore(disk))).toHaveLength(80);
  });

  it('results from a failed merge: it rejects writes, and no acknowledged batch is lost', async () => {
    const disk = new CrashDisk(1);
    const inline = new InlineJobRunner(disk);
    const jobs = {
      start: (job: Parameters<InlineJobRunner['start']>[0]) =>
        job.kind === 'flush'
          ? inline.start(job)
          : { result: Promise.reject(new Error('no room')), cancel: () => Promise.resolve() },
    };
    const store = await openStore(disk, { jobs });
    await putAll(store, { a: '1' });
    await store.flush();
    await putAll(store, { b: '1' });

    await expect(store.compact()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });

    expect(store.poisoned?.message).toBe('the store takes no writes: no room: check the disk, then restart');
    expect(() => store.append(store.batch())).toThrow(expect.objectContaining({ code: 'STORE_UNAVAILABLE' }));
    expect(await contentOf(store)).toHaveLength(2);
    await store.close();
    expect(await contentOf(await openStore(disk))).toHaveLength(2);
  });

  it('results from a failed flush, and no acknowledged batch is lost', async () => {
    const { disk, store } = await storeWith(3);
    disk.plan({ capacityBytes: 0 });

    await expect(store.flush()).rejects.toMatchObject({ code: 'NO_DISK_SPACE' });

    disk.plan({});
    await store.close();
    expect(await contentOf(await openStore(disk))).toHaveLength(3);
  });
});

describe('an image', () => {
  it('is loaded part by part into shared memory', async () => {
    const { disk, store } = await storeWith(2);
    const large = new Uint8Array(new SharedArrayBuffer(5_000_000)).map((_, i) => i % 251);
    await store.saveImage(2, [
      { bytes: large },
      { bytes: large, compress: true },
      { bytes: new Uint8Array(0) },
    ]);
    await store.close();

    const image = await (await openStore(disk)).loadImage();

    expect(image?.seq).toBe(2);
    expect(image?.parts.map((part) => Buffer.compare(part, large))).toEqual([0, 0, -1]);
    expect(image?.parts.every((part) => part.buffer instanceof SharedArrayBuffer)).toBe(true);
  });

  it('replaces the previous one, whose file is removed', async () => {
    const { disk, store } = await storeWith(2);

    await store.saveImage(1, [{ bytes: bytes('one') }]);
    await store.saveImage(2, [{ bytes: bytes('two') }]);

    expect((await disk.list(DIRECTORY)).filter((name) => name.startsWith('image'))).toEqual([
      'image-0000000002',
    ]);
    expect(text((await store.loadImage())?.parts[0] ?? bytes(''))).toBe('two');
  });

  it('is dropped and logged if any byte of it is damaged', async () => {
    const { disk, store } = await storeWith(1);
    await store.saveImage(1, [{ bytes: bytes('some image') }, { bytes: bytes('more'), compress: true }]);
    const path = `${DIRECTORY}/image-0000000001`;
    const whole = await disk.readBytes(path);
    await store.close();
    const accepted: number[] = [];

    for (let at = 16; at < whole.length; at++) {
      const spoiled = new CrashDisk(1);
      await spoiled.makeDirectory(DIRECTORY);
      for (const name of await disk.list(DIRECTORY)) {
        await spoiled.writeNew(`${DIRECTORY}/${name}`, await disk.readBytes(`${DIRECTORY}/${name}`));
      }
      await overwrite(spoiled, path, at, Uint8Array.of((whole[at] ?? 0) ^ 1));
      const log = new MemoryLog();
      const again = await openStore(spoiled, { log });
      const isLoaded = (await again.loadImage()) !== undefined;
      const isLogged = log.lines.some((line) => line.event === 'storage.image_dropped');
      if (isLoaded || !isLogged) accepted.push(at);
      await again.close();
    }

    expect(accepted).toEqual([]);
  });

  it('is dropped if its file is missing', async () => {
    const { disk, store } = await storeWith(1);
    await store.saveImage(1, [{ bytes: bytes('image') }]);
    await disk.remove(`${DIRECTORY}/image-0000000001`);

    const image = await store.loadImage();

    expect(image).toBeUndefined();
    expect(await disk.readText(MANIFEST)).toContain('"image":null');
  });

  it('is not used after a purge of a later delete', async () => {
    const { disk, store } = await storeWith(1);
    const batch = store.batch();
    batch.delete(bytes('k1'), bytes(''), 1);
    await store.append(batch).durable;
    await store.compact();
    await store.saveImage(1, [{ bytes: bytes('with k1') }]);
    await store.close();

    expect(await (await openStore(disk)).loadImage()).toBeUndefined();
  });

  it('is not used once any purged delete is later, also after further merges', async () => {
    const { disk, store } = await storeWith(2);
    for (const key of ['k2', 'k1']) {
      const batch = store.batch();
      batch.delete(bytes(key), bytes(''), 1);
      await store.append(batch).durable;
    }
    await store.compact();
    await putAll(store, { k5: 'value 5' });
    await store.compact();
    const log = new MemoryLog();
    await store.close();
    const again = await openStore(disk, { log });

    await again.saveImage(3, [{ bytes: bytes('with k1') }]);

    expect(log.of('storage.image_overtaken')).toHaveLength(1);
    expect(await again.loadImage()).toBeUndefined();
    expect((await disk.list(DIRECTORY)).filter((name) => name.startsWith('image'))).toEqual([]);
    await again.saveImage(4, [{ bytes: bytes('without') }]);
    expect((await again.loadImage())?.seq).toBe(4);
  });

  it('does not replace a later one', async () => {
    const { disk, store } = await storeWith(2);
    await store.saveImage(2, [{ bytes: bytes('two') }]);

    await store.saveImage(1, [{ bytes: bytes('one') }]);

    expect((await store.loadImage())?.seq).toBe(2);
    expect((await disk.list(DIRECTORY)).filter((name) => name.startsWith('image'))).toEqual([
      'image-0000000001',
    ]);
  });

  it('allows the purge of tombstones up to and including its last batch', async () => {
    const { store } = await storeWith(1);
    const batch = store.batch();
    batch.delete(bytes('k1'), bytes(''), 1);
    const { seq, durable } = store.append(batch);
    await durable;
    await store.saveImage(seq, [{ bytes: bytes('without k1') }]);

    await store.compact();

    expect(store.stats().segments).toBe(0);
    expect((await store.loadImage())?.seq).toBe(seq);
  });

  it('prevents the purge of later tombstones', async () => {
    const { store } = await storeWith(1);
    await store.saveImage(1, [{ bytes: bytes('with k1') }]);
    const batch = store.batch();
    batch.delete(bytes('k1'), bytes(''), 1);
    await store.append(batch).durable;

    await store.compact();

    expect((await store.loadImage())?.seq).toBe(1);
    const since = store.scan(bytes(''), { sinceSeq: 1, includeDeleted: true });
    expect((await since.next()).value).toHaveLength(1);
  });
});
