import { describe, expect, it } from '@jest/globals';
import { checkedBackup, restoreStore, type Storage } from '#storage';
import { CrashDisk } from '#testing';
import { BACKUP_FRAME_BYTES } from '../src/backup-format.ts';
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

describe('A backup as a stream', () => {
  it('is of what was durable when it began, while writes, flushes and merges go on beside a slow reader', async () => {
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

  it('lets files go when its reader leaves in the middle', async () => {
    const { disk, store } = await storeOf(40);
    for await (const piece of store.backupStream()) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }

    await store.compact();

    const segments = (await disk.list('/store')).filter((name) => name.startsWith('segment-'));
    expect(segments).toHaveLength(1);
  });

  it('is refused wherever it is cut, and leaves nothing behind', async () => {
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

  it('is refused when any byte of it is another, or more follow', async () => {
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

  it('is not restored over anything', async () => {
    const { disk, store } = await storeOf(1);
    const backup = await whole(store);

    await expect(restoreStore(disk, '/store', inPieces(backup, 500))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect(await contentOf(store)).toHaveLength(1);
  });

  it('does not open where the power went before it was whole', async () => {
    const { disk, store } = await storeOf(6);
    const backup = await whole(store);
    disk.plan({});
    await restoreStore(disk, '/measured', inPieces(backup, 500));
    const calls = disk.calls;

    for (let crashAt = 1; crashAt <= calls; crashAt++) {
      const { disk: other } = await storeOf(0);
      other.plan({ crashAt });
      await restoreStore(other, TARGET, inPieces(backup, 500)).catch(() => undefined);
      const opened = await openStore(other.restart(), { directory: TARGET }).catch((error: unknown) => error);
      const content = opened instanceof Error ? [] : await contentOf(opened as Storage);
      expect([0, 6]).toContain(content.length);
    }
  });
});

async function drain(pieces: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of pieces) expect(piece).toBeDefined();
}
