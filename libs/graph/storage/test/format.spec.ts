import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { NodeDisk } from '#platform/disk';
import { CrashDisk } from '#testing';
import { FIXTURE_IMAGE, FIXTURE_LIVE, FIXTURE_TOMBSTONES } from './fixture-content.ts';
import { bytes, contentOf, DIRECTORY, openStore, putAll, recordsOf, text } from './store-harness.ts';

const FORMAT_1 = join(import.meta.dirname, 'data', 'format-1');

/** The fixture on a writable disk. */
async function fixtureDisk(): Promise<CrashDisk> {
  const source = new NodeDisk();
  const disk = new CrashDisk(1);
  await disk.makeDirectory(DIRECTORY);
  for (const name of await source.list(FORMAT_1)) {
    await disk.writeNew(`${DIRECTORY}/${name}`, await source.readBytes(join(FORMAT_1, name)));
  }
  return disk;
}

describe('a store of format 1', () => {
  it('opens with all its content', async () => {
    const store = await openStore(await fixtureDisk());

    const all = await recordsOf(store.scan(bytes(''), { includeDeleted: true }));
    const image = await store.loadImage();

    const deleted = all
      .filter((record) => record.isDeleted)
      .map((record) => [text(record.key), text(record.value)]);
    expect((await contentOf(store)).sort()).toEqual([...FIXTURE_LIVE].sort());
    expect(deleted).toEqual(FIXTURE_TOMBSTONES);
    expect({ seq: image?.seq, parts: image?.parts.map(text) }).toEqual(FIXTURE_IMAGE);
    expect(store.seq).toBe(5);
  });

  it('accepts new batches, and keeps the old ones through a compaction', async () => {
    const disk = await fixtureDisk();
    const store = await openStore(disk);
    await putAll(store, { new: 'one' });
    await store.compact();
    await store.close();

    const content = await contentOf(await openStore(disk));

    expect(content.sort()).toEqual([...FIXTURE_LIVE, ['new', 'one']].sort());
  });
});
