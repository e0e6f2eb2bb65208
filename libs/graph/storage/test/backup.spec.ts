import { describe, expect, it } from '@jest/globals';
import { checkedBackup, restoreStore, type Storage } from '#graph/storage';
import type { DiskFile, OpenMode } from '#platform/disk';
import { CrashDisk } from '#testing';
import {
  BACKUP_FRAME_BYTES,
  type BackupItem,
  BackupParser,
  encodeBackupHeader,
  encodeBackupItem,
} from '../src/backup/backup-format.ts';
import { EMPTY_MANIFEST, encodeManifest, type Manifest } from '../src/store/manifest.ts';
import { bytes, contentOf, openStore, putAll, text } from './store-harness.ts';

const TARGET = '/restored';

async function storeOf(batches: number): Promise<{ disk: CrashDisk; store: Storage }> {
  const disk = new CrashDisk(1);
  const store = await openStore(disk);
  for (let i = 1; i <= batches; i++) await putAll(store, { [`k${i}`]: `value ${i} ${'x'.repeat(200)}` });
  return { disk, store };
}

async function whole(store: Storage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.backupStream()) pieces.push(piece.slice());
  return Buffer.concat(pieces);
}

async function* inPieces(backup: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < backup.length; at += size) {
    await Promise.resolve();
    yield backup.subarray(at, at + size);
  }
}

describe('a backup stream', () => {
  it('contains the batches durable at its start, despite writes, flushes and merges during a slow read', async () => {
    const { disk, store } = await storeOf(40);
    await store.flush();
    await putAll(store, { k41: 'value 41' });
    await store.saveImage(41, [{ bytes: bytes('image') }]);
    const pieces: Uint8Array[] = [];

    for await (const piece of store.backupStream()) {
      pieces.push(piece.slice());
      await putAll(store, { [`late${pieces.length}`]: 'later', k1: 'changed' });
      if (pieces.length === 2) await store.compact();
    }
    const summary = await restoreStore(disk, TARGET, inPieces(Buffer.concat(pieces), 1_000));

    const restored = await openStore(disk, { directory: TARGET });
    const content = await contentOf(restored);
    expect(summary.seq).toBe(41);
    expect(content).toHaveLength(41);
    expect(content[0]?.[1]).toMatch(/^value 1 /);
    expect(text((await restored.loadImage())?.parts[0] ?? bytes(''))).toBe('image');
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(BACKUP_FRAME_BYTES + 9);
    expect(await putAll(restored, { next: 'one' })).toBe(42);
  });

  it('releases files when its reader stops in the middle', async () => {
    const { disk, store } = await storeOf(40);
    for await (const piece of store.backupStream()) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }

    await store.compact();

    const segments = (await disk.list('/store')).filter((name) => name.startsWith('segment-'));
    expect(segments).toHaveLength(1);
  });

  it('is rejected when truncated at any position, and leaves no files behind', async () => {
    const { disk, store } = await storeOf(12);
    const backup = await whole(store);

    for (let end = 0; end < backup.length; end += 97) {
      const cut = backup.subarray(0, end);
      await expect(restoreStore(disk, TARGET, inPieces(cut, 500))).rejects.toMatchObject({
        code: 'STORE_CORRUPT',
      });
      await expect(drain(checkedBackup(inPieces(cut, 500)))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
      expect(await disk.list(TARGET)).toEqual([]);
    }
    expect(await restoreStore(disk, TARGET, inPieces(backup, 500))).toMatchObject({ seq: 12 });
  });

  it('is rejected with any byte changed, or with trailing bytes', async () => {
    const { disk, store } = await storeOf(3);
    const backup = await whole(store);

    for (let at = 0; at < backup.length; at += 61) {
      const damaged = Buffer.from(backup);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      await expect(restoreStore(disk, TARGET, inPieces(damaged, 4_096))).rejects.toMatchObject({
        code: expect.stringMatching(/^STORE_/),
      });
    }
    const longer = Buffer.concat([backup, Buffer.from('x')]);
    await expect(restoreStore(disk, TARGET, inPieces(longer, 4_096))).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });
    expect(await disk.list(TARGET)).toEqual([]);
  });

  it('is not restored into a directory that is not empty', async () => {
    const { disk, store } = await storeOf(1);
    const backup = await whole(store);

    await expect(restoreStore(disk, '/store', inPieces(backup, 500))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await contentOf(store)).toHaveLength(1);
  });

  it('restores all or nothing when power fails at any disk call', async () => {
    const { disk, store } = await storeOf(6);
    await store.saveImage(6, [{ bytes: bytes('image') }]);
    const backup = await whole(store);
    disk.plan({});
    await restoreStore(disk, '/measured', inPieces(backup, 500));
    const calls = disk.calls;

    for (let crashAt = 1; crashAt <= calls; crashAt++) {
      const { disk: other } = await storeOf(0);
      other.plan({ crashAt });
      await restoreStore(other, TARGET, inPieces(backup, 500)).catch(() => undefined);
      const after = other.restart();
      await after.makeDirectory(TARGET);
      const isBegun = (await after.list(TARGET)).some((name) => /^(?:image|segment|wal)-/.test(name));
      const opened = await openStore(after, { directory: TARGET }).catch((error: unknown) => error);
      if (opened instanceof Error) expect(opened).toMatchObject({ code: 'STORE_CORRUPT' });
      else expect(await contentOf(opened as Storage)).toHaveLength(isBegun ? 6 : 0);
    }
  });
});

/** Complete frames with valid checksums, which only another program can write. */
describe('a backup written by another program', () => {
  const segment = { name: 'segment-0000000001', bytes: 3, records: 1, min_seq: 1, max_seq: 1 };
  const data = (...values: number[]): BackupItem => ({ kind: 'data', bytes: Uint8Array.of(...values) });
  const file = (name: string, length: number): BackupItem => ({ kind: 'file', name, bytes: length });
  const manifestOf = (manifest: Manifest): BackupItem[] => {
    const encoded = encodeManifest(manifest);
    return [file('MANIFEST', encoded.length), { kind: 'data', bytes: encoded }];
  };
  const empty = manifestOf(EMPTY_MANIFEST);
  const emptyBytes = encodeManifest(EMPTY_MANIFEST).length;
  const end = (files: number, length: number): BackupItem => ({ kind: 'end', files, bytes: length, seq: 0 });

  it.each<[string, BackupItem[]]>([
    ['with a file outside the directory', [file('../wal-0000000001', 0), ...empty, end(2, emptyBytes)]],
    ['with a file that is no store file', [file('notes', 0), ...empty, end(2, emptyBytes)]],
    ['with bytes before its first file', [data(1), ...empty, end(1, emptyBytes + 1)]],
    ['with a file shorter than declared', [file(segment.name, 3), data(1), ...empty, end(2, emptyBytes + 1)]],
    ['with a last file longer than declared', [...empty, data(1), end(1, emptyBytes + 1)]],
    ['with fewer files than declared in its end frame', [...empty, end(2, emptyBytes)]],
    ['with other lengths than declared in its end frame', [...empty, end(1, emptyBytes - 1)]],
    [
      'without a segment listed in its manifest',
      [
        ...manifestOf({ ...EMPTY_MANIFEST, segments: [segment] }),
        end(1, encodeManifest({ ...EMPTY_MANIFEST, segments: [segment] }).length),
      ],
    ],
    [
      'without the image listed in its manifest',
      [
        ...manifestOf({ ...EMPTY_MANIFEST, image: { name: 'image-0000000001', seq: 0 } }),
        end(1, encodeManifest({ ...EMPTY_MANIFEST, image: { name: 'image-0000000001', seq: 0 } }).length),
      ],
    ],
    ['without a manifest', [file(segment.name, 1), data(1), end(1, 1)]],
  ])('is rejected %s, and leaves no files behind', async (_, items) => {
    const disk = new CrashDisk(1);
    await disk.makeDirectory('/');
    const backup = Buffer.concat([encodeBackupHeader(), ...items.map(encodeBackupItem)]);

    await expect(restoreStore(disk, TARGET, inPieces(backup, 50))).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });

    expect(await disk.list(TARGET)).toEqual([]);
    expect(await disk.list('/')).toEqual([]);
  });

  it('is restored if it is valid', async () => {
    const disk = new CrashDisk(1);
    const items = [...empty, end(1, emptyBytes)];
    const backup = Buffer.concat([encodeBackupHeader(), ...items.map(encodeBackupItem)]);

    await restoreStore(disk, TARGET, inPieces(backup, 50));

    expect(await contentOf(await openStore(disk, { directory: TARGET }))).toEqual([]);
  });

  it('is complete when power fails right after the restore', async () => {
    const { store } = await storeOf(30);
    await store.flush();
    await store.saveImage(30, [{ bytes: bytes('image') }]);
    await putAll(store, { last: 'one' });
    const backup = await whole(store);

    for (let seed = 1; seed <= 20; seed++) {
      const disk = new CrashDisk(seed);
      await restoreStore(disk, TARGET, inPieces(backup, 500));
      const restored = await openStore(disk.restart(), { directory: TARGET });
      expect(await contentOf(restored)).toHaveLength(31);
      expect((await restored.loadImage())?.seq).toBe(30);
      await restored.close();
    }
  });

  it('is rejected at a frame header that exceeds the maximum frame size', () => {
    const frame = encodeBackupItem(data(1));
    new DataView(frame.buffer).setUint32(0, BACKUP_FRAME_BYTES + 1, true);
    const parser = new BackupParser();
    const push = (): unknown => [...parser.push(Buffer.concat([encodeBackupHeader(), frame]))];

    expect(push).toThrow(expect.objectContaining({ code: 'STORE_CORRUPT' }));
  });
});

/** A disk that delays the creation of files under a path until `letGo`. */
class HeldDisk extends CrashDisk {
  readonly held = Promise.withResolvers<undefined>();
  readonly #letGo = Promise.withResolvers<undefined>();
  readonly #path: string;

  constructor(path: string) {
    super(1);
    this.#path = path;
  }

  letGo(): void {
    this.#letGo.resolve(undefined);
  }

  override async open(path: string, mode: OpenMode): Promise<DiskFile> {
    if (mode === 'create' && path.startsWith(this.#path)) {
      this.held.resolve(undefined);
      await this.#letGo.promise;
    }
    return super.open(path, mode);
  }
}

describe('a backup into a directory', () => {
  it('contains everything durable at its start, though all files are replaced meanwhile', async () => {
    const disk = new HeldDisk(TARGET);
    const store = await openStore(disk);
    await putAll(store, { a: '1', b: '1' });
    await store.flush();
    await putAll(store, { a: '2' });
    await store.saveImage(2, [{ bytes: bytes('image') }]);

    const copied = store.backup(TARGET);
    await disk.held.promise;
    await putAll(store, { a: '3', c: '3' });
    await store.compact();
    await store.saveImage(3, [{ bytes: bytes('later') }]);
    disk.letGo();
    await copied;

    const copy = await openStore(disk, { directory: TARGET });
    expect(await contentOf(copy)).toEqual([
      ['a', '2'],
      ['b', '1'],
    ]);
    expect(text((await copy.loadImage())?.parts[0] ?? bytes(''))).toBe('image');
    const left = (await disk.list('/store')).filter((name) => /^(segment|image)-/.test(name));
    expect(left).toHaveLength(2);
  });

  it.each([
    ['one file', async (disk: CrashDisk) => disk.writeNew(`${TARGET}/notes`, bytes('mine'))],
    ['one directory', async (disk: CrashDisk) => disk.makeDirectory(`${TARGET}/photos`)],
  ])('is rejected for a directory with %s, which stays unchanged, as for a restore', async (_, put) => {
    const { disk, store } = await storeOf(1);
    await disk.makeDirectory(TARGET);
    await put(disk);
    const before = [await disk.list(TARGET), await disk.listDirectories(TARGET)];

    await expect(store.backup(TARGET)).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(restoreStore(disk, TARGET, inPieces(await whole(store), 500))).rejects.toMatchObject({
      code: 'CONFLICT',
    });

    expect([await disk.list(TARGET), await disk.listDirectories(TARGET)]).toEqual(before);
  });

  it('is complete or does not open when power fails at any disk call, or right after', async () => {
    const prepared = async (): Promise<{ disk: CrashDisk; store: Storage }> => {
      const { disk, store } = await storeOf(3);
      await store.flush();
      await putAll(store, { last: 'one' });
      return { disk, store };
    };
    const { disk: measured, store } = await prepared();
    measured.plan({});
    await store.backup(TARGET);
    const wrong: number[] = [];

    for (let crashAt = 1; crashAt <= measured.calls + 1; crashAt++) {
      const { disk, store: source } = await prepared();
      disk.plan({ crashAt });
      await source.backup(TARGET).catch(() => undefined);
      const opened = await openStore(disk.restart(), { directory: TARGET }).catch((error: unknown) => error);
      const count = opened instanceof Error ? 'none' : (await contentOf(opened as Storage)).length;
      const isMade = crashAt > measured.calls;
      if (count !== 4 && (isMade || (count !== 'none' && count !== 0))) wrong.push(crashAt);
    }

    expect(wrong).toEqual([]);
  });

  it('is rejected with the offset when a file of the store is truncated, and does not open', async () => {
    const { disk, store } = await storeOf(3);
    const file = await disk.open('/store/wal-0000000001', 'write');
    await file.truncate(700);

    await expect(store.backup(TARGET)).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
      details: { file: 'wal-0000000001', offset: 700 },
    });
    await expect(drain(store.backupStream())).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await expect(openStore(disk, { directory: TARGET })).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
  });
});

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) expect(piece).toBeDefined();
}
