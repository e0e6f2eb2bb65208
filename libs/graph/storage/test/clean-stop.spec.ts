import { describe, expect, it } from '@jest/globals';
import { readLog, repairStore } from '#graph/storage';
import { CrashDisk } from '#testing';
import { readManifest, writeManifest } from '../src/store/manifest.ts';
import { contentOf, DIRECTORY, MemoryLog, openStore, putAll } from './store-harness.ts';

const FILE = 'wal-0000000001';
const WAL = `${DIRECTORY}/${FILE}`;
const LARGE = { walFileBytes: 1_000_000 };

/** Starts of the frames, each of one batch, and the end of the last one. */
async function framesOf(disk: CrashDisk): Promise<number[]> {
  const places: number[] = [];
  let end = 0;
  for await (const entry of readLog(disk, DIRECTORY)) {
    if (entry.kind !== 'batch') continue;
    places.push(entry.frame.offset);
    end = entry.frame.offset + entry.frame.bytes;
  }
  return [...places, end];
}

async function put(
  disk: CrashDisk,
  keys: readonly string[],
  { stops }: { readonly stops: boolean },
): Promise<void> {
  const store = await openStore(disk, LARGE);
  for (const key of keys) await putAll(store, { [key]: 'some value' });
  if (stops) await store.close();
}

async function stoppedStore(keys: readonly string[] = ['k1', 'k2', 'k3']): Promise<CrashDisk> {
  const disk = new CrashDisk(1);
  await put(disk, keys, { stops: true });
  return disk;
}

async function cutAt(disk: CrashDisk, offset: number): Promise<void> {
  const file = await disk.open(WAL, 'write');
  await file.truncate(offset);
  await file.sync();
  await file.close();
}

async function flipAt(disk: CrashDisk, offset: number): Promise<void> {
  const file = await disk.open(WAL, 'write');
  await file.write(Uint8Array.of(255), offset);
  await file.sync();
  await file.close();
}

async function keysIn(disk: CrashDisk): Promise<string[]> {
  const store = await openStore(disk);
  const keys = (await contentOf(store)).map(([key]) => key);
  await store.close();
  return keys;
}

describe('after a clean stop, a log', () => {
  it.each<[string, (disk: CrashDisk, third: number) => Promise<void>]>([
    ['without its last frame', cutAt],
    ['that ends within its last frame', (disk, third) => cutAt(disk, third + 30)],
    ['with a flipped byte in its last frame', (disk, third) => flipAt(disk, third + 30)],
    ['with zeros in place of its last frame', async (disk, third) => {
      const { length } = await disk.readBytes(WAL);
      await cutAt(disk, third);
      await cutAt(disk, length);
    }],
  ])('%s is damaged, and a repair keeps a copy', async (_, damage) => {
    const disk = await stoppedStore();
    const [, , third = 0, end] = await framesOf(disk);
    await damage(disk, third);

    await expect(openStore(disk)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      message: `the frames up to offset ${end}, recorded by a clean stop, are missing in ${FILE} at offset ${third}`,
      details: { file: FILE, offset: third },
    });
    const report = await repairStore(disk, DIRECTORY);

    expect(report).toEqual({ file: FILE, offset: third, lastSeq: 2, kept: [`damaged-${FILE}`] });
    expect(await keysIn(disk)).toEqual(['k1', 'k2']);
  }); // prettier-ignore

  it('is shown as damaged where it ends', async () => {
    const disk = await stoppedStore();
    const [, , third = 0] = await framesOf(disk);
    await cutAt(disk, third + 30);

    const entries = [];
    for await (const entry of readLog(disk, DIRECTORY)) entries.push(entry);

    expect(entries.at(-1)).toMatchObject({ kind: 'corrupt', file: FILE, offset: third });
  });

  it('may lose what a crash left incomplete, but not what was there at the stop', async () => {
    const disk = await stoppedStore(['k1', 'k2']);
    await put(disk, ['k3'], { stops: false });
    const crashed = disk.restart();
    const [, second = 0, third = 0] = await framesOf(crashed);

    await cutAt(crashed, third + 30);
    expect(await keysIn(crashed)).toEqual(['k1', 'k2']);
    await cutAt(crashed, second + 30);

    await expect(openStore(crashed)).rejects.toMatchObject({ details: { file: FILE, offset: second } });
  });

  it('continues with another file after a repair of the last one', async () => {
    const disk = await stoppedStore();
    await flipAt(disk, 8);
    await repairStore(disk, DIRECTORY);
    await put(disk, ['new'], { stops: false });
    const crashed = disk.restart();
    const [first = 0] = await framesOf(crashed);
    await cutAt(crashed, first + 30);

    expect(await keysIn(crashed)).toEqual([]);
  });

  it('is not written to when nothing was appended', async () => {
    const disk = await stoppedStore();
    const before = await readManifest(disk, DIRECTORY);

    expect(await keysIn(disk)).toEqual(['k1', 'k2', 'k3']);

    expect(await readManifest(disk, DIRECTORY)).toEqual(before);
  });
});

describe('after a crash', () => {
  it('a cut tail is torn, and the store tells how much of it is gone', async () => {
    const disk = new CrashDisk(1);
    await put(disk, ['k1', 'k2', 'k3'], { stops: false });
    const crashed = disk.restart();
    const [, , third = 0, end = 0] = await framesOf(crashed);
    await flipAt(crashed, third + 30);
    const log = new MemoryLog();

    const store = await openStore(crashed, { log });

    const cutTail = { file: FILE, offset: third, cut_bytes: end - third, last_seq: 2 };
    expect(store.stats().torn_tail).toEqual(cutTail);
    expect(log.of('storage.torn_tail')[0]?.fields).toMatchObject(cutTail);
    await store.close();
    expect((await openStore(crashed)).stats()).not.toHaveProperty('torn_tail');
  });
});

it('a store of a release without the mark opens with a cut tail', async () => {
  const disk = await stoppedStore();
  const manifest = await readManifest(disk, DIRECTORY);
  await writeManifest(disk, DIRECTORY, { ...manifest!, stopped: undefined });
  const [, , third = 0] = await framesOf(disk);
  await cutAt(disk, third + 30);

  expect(await keysIn(disk)).toEqual(['k1', 'k2']);
});

it('a backup of a running store is as complete as it was', async () => {
  const disk = new CrashDisk(1);
  const store = await openStore(disk, LARGE);
  await putAll(store, { k1: 'some value' });
  await store.backup('/copy');
  await store.close();
  const { length } = await disk.readBytes(`/copy/${FILE}`);
  const file = await disk.open(`/copy/${FILE}`, 'write');
  await file.truncate(length - 1);

  await expect(openStore(disk, { directory: '/copy' })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});
