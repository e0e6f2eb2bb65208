import { describe, expect, it } from '@jest/globals';
import { repairStore, restoreStore, type Storage } from '#graph/storage';
import type { DiskFile, OpenMode } from '#platform/disk';
import { CrashDisk, effort } from '#testing';
import { Ledger, liveUntilFailure } from './crash-workload.ts';
import { bytes, DIRECTORY, openStore, putAll, recordsOf, valueOf } from './store-harness.ts';

const TARGET = '/target';
/** Interval of the disk calls that fail. */
const STRIDE = effort(1, 7);

/** A disk that tracks the open files. */
class WatchedDisk extends CrashDisk {
  readonly openPaths: string[] = [];

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const file = await super.open(path, mode);
    this.openPaths.push(path);
    const close = async (): Promise<void> => {
      await file.close();
      this.openPaths.splice(this.openPaths.indexOf(path), 1);
    };
    return { ...file, close };
  }
}

async function backupOf(store: Storage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.backupStream()) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

async function* inPieces(backup: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < backup.length; at += 500) {
    await Promise.resolve();
    yield backup.subarray(at, at + 500);
  }
}

/** A store with two segments, an image and a log. */
async function filledStore(disk: WatchedDisk): Promise<Storage> {
  const store = await openStore(disk);
  for (let i = 0; i < 10; i++) await putAll(store, { [`k${i}`]: `${i}`.repeat(500) });
  await store.flush();
  await putAll(store, { k1: 'other' });
  await store.flush();
  await store.saveImage(store.durableSeq, [{ bytes: bytes('image') }]);
  await putAll(store, { last: '1' });
  return store;
}

describe('no file stays open', () => {
  it('after a complete or abandoned scan, a look-up, an image, a scrub or a backup', async () => {
    const disk = new WatchedDisk(1);
    const store = await filledStore(disk);
    const held = disk.openPaths.toSorted();

    await recordsOf(store.scan(bytes('')));
    for await (const chunk of store.scan(bytes('k'))) if (chunk.length > 0) break;
    await valueOf(store, 'k1');
    await store.loadImage();
    await store.scrub();
    await store.backup(TARGET);
    for await (const piece of store.backupStream()) if (piece.length > 100) break;

    expect(disk.openPaths.toSorted()).toEqual(held);
    expect(new Set(held).size).toBe(held.length);
    await store.compact();
    expect(disk.openPaths.filter((path) => path.includes('segment-'))).toHaveLength(1);
    await store.close();
    expect(disk.openPaths).toEqual([]);
  });

  it('after a store is closed, whichever disk call has failed before', async () => {
    const measured = new WatchedDisk(1);
    await liveUntilFailure(measured, new Ledger(), 1);
    const left: string[] = [...measured.openPaths];

    for (let call = 1; call <= measured.calls; call += STRIDE) {
      const disk = new WatchedDisk(1);
      disk.plan({ failAt: { call, code: 'EIO' } });
      await liveUntilFailure(disk, new Ledger(), 1);
      left.push(...disk.openPaths.map((path) => `call ${call}: ${path}`));
    }

    expect(left).toEqual([]);
  });

  it('after a failed open', async () => {
    const left: string[] = [];
    for (const kind of ['segment-', 'wal-', 'MANIFEST']) {
      const disk = new WatchedDisk(1);
      const store = await filledStore(disk);
      await store.close();
      const spoiled = (await disk.list(DIRECTORY)).findLast((name) => name.startsWith(kind)) ?? '';
      const file = await disk.open(`${DIRECTORY}/${spoiled}`, 'write');
      await file.truncate(20);
      await file.close();

      await expect(openStore(disk)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      left.push(...disk.openPaths);
    }
    expect(left).toEqual([]);
  });

  it('after a restore or a repair that fails at any disk call', async () => {
    const source = new WatchedDisk(1);
    const store = await filledStore(source);
    const backup = await backupOf(store);
    const left: string[] = [];

    for (let end = 0; end <= backup.length; end += 97 * STRIDE) {
      const disk = new WatchedDisk(1);
      await restoreStore(disk, TARGET, inPieces(backup.subarray(0, end))).catch(() => undefined);
      left.push(...disk.openPaths);
    }
    source.crash();
    for (let call = 1; call < 30; call++) {
      const disk = new WatchedDisk(1);
      await restoreStore(disk, DIRECTORY, inPieces(backup));
      const log = (await disk.list(DIRECTORY)).findLast((name) => name.startsWith('wal-')) ?? '';
      const file = await disk.open(`${DIRECTORY}/${log}`, 'write');
      await file.write(Uint8Array.of(255), 8);
      await file.close();
      disk.plan({ failAt: { call, code: 'EIO' } });
      await repairStore(disk, DIRECTORY).catch(() => undefined);
      left.push(...disk.openPaths);
    }

    expect(left).toEqual([]);
  });
});
