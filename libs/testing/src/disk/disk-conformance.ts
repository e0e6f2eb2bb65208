import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import type { Disk } from '#platform/disk';

const HELLO = new TextEncoder().encode('hello');

/** Requirements of every disk. `makeDirectory` returns an empty directory on it. */
export function diskConformance(name: string, make: () => Promise<{ disk: Disk; directory: string }>): void {
  describe(`${name} as a disk`, () => {
    fileConformance(make);
    nameConformance(make);
  });
}

function fileConformance(make: () => Promise<{ disk: Disk; directory: string }>): void {
  it('reads back written bytes at their position', async () => {
    const { disk, directory } = await make();
    const file = await disk.open(join(directory, 'a'), 'create');

    await file.write(HELLO, 3);

    const into = new Uint8Array(10);
    expect(await file.read(into, 0)).toBe(8);
    expect([...into]).toEqual([0, 0, 0, ...HELLO, 0, 0]);
    expect(await file.size()).toBe(8);
    await file.close();
  });

  it('reads back durable writes', async () => {
    const { disk, directory } = await make();
    const file = await disk.open(join(directory, 'a'), 'create', { isDurable: true });

    await file.write(HELLO, 0);
    await file.close();

    expect(await disk.readBytes(join(directory, 'a'))).toEqual(HELLO);
  });

  it('reports the time of the last change, which is stable without changes', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'a'), HELLO);
    const file = await disk.open(join(directory, 'a'), 'write');

    const before = await file.modifiedMs();
    await file.read(new Uint8Array(2), 0);
    expect(await file.modifiedMs()).toBe(before);
    await file.write(HELLO, 2);
    expect(await file.modifiedMs()).toBeGreaterThanOrEqual(before);
    await file.close();
  });

  it('reads short at the end of a file, and nothing after it', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'a'), HELLO);
    const file = await disk.open(join(directory, 'a'), 'read');

    const counts = [await file.read(new Uint8Array(9), 2), await file.read(new Uint8Array(9), 50)];

    expect(counts).toEqual([3, 0]);
    await file.close();
  });

  it('cuts a file, and extends it with zeros', async () => {
    const { disk, directory } = await make();
    const file = await disk.open(join(directory, 'a'), 'create');
    await file.write(HELLO, 0);

    await file.truncate(2);
    await file.truncate(4);
    await file.sync();
    await file.close();

    expect([...(await disk.readBytes(join(directory, 'a')))]).toEqual([HELLO[0], HELLO[1], 0, 0]);
  });

  it('keeps a removed file readable through its handle', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'a'), HELLO);
    const file = await disk.open(join(directory, 'a'), 'read');

    const removed = await disk.remove(join(directory, 'a'));

    expect(removed).toBe(true);
    expect(await file.read(new Uint8Array(5), 0)).toBe(5);
    await file.close();
  });

  it('rejects every operation on a closed file, because its descriptor may be reused', async () => {
    const { disk, directory } = await make();
    const file = await disk.open(join(directory, 'a'), 'create');
    await file.close();
    const other = await disk.open(join(directory, 'b'), 'create');
    await other.write(HELLO, 0);

    const asked = [
      () => file.read(new Uint8Array(5), 0),
      () => file.write(Uint8Array.of(1), 0),
      () => file.truncate(0),
      () => file.sync(),
      () => file.size(),
      () => file.modifiedMs(),
      () => file.close(),
    ];
    for (const ask of asked) await expect(ask()).rejects.toMatchObject({ code: 'EBADF' });
    const into = new Uint8Array(9);
    expect(await other.read(into, 0)).toBe(5);
    expect(into.subarray(0, 5)).toEqual(HELLO);
    await other.close();
  });

  it('rejects creating an existing file, and opening a missing one', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'a'), HELLO);

    await expect(disk.open(join(directory, 'a'), 'create')).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(disk.open(join(directory, 'b'), 'read')).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(disk.open(join(directory, 'b'), 'write')).rejects.toMatchObject({ code: 'ENOENT' });
  });
}

function nameConformance(make: () => Promise<{ disk: Disk; directory: string }>): void {
  it('lists files by name, sorted', async () => {
    const { disk, directory } = await make();

    for (const name of ['c', 'a', 'b']) await disk.writeNew(join(directory, name), HELLO);

    expect(await disk.list(directory)).toEqual(['a', 'b', 'c']);
    await expect(disk.list(join(directory, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('replaces a file by a rename', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'old'), new Uint8Array(1));
    await disk.writeNew(join(directory, 'new'), HELLO);

    await disk.rename(join(directory, 'new'), join(directory, 'old'));
    await disk.syncDirectory(directory);

    expect(await disk.list(directory)).toEqual(['old']);
    expect(await disk.readText(join(directory, 'old'))).toBe('hello');
  });

  it('reads text, and refuses bytes that are not UTF-8 with their line', async () => {
    const { disk, directory } = await make();
    const [good, bad] = [join(directory, 'good'), join(directory, 'bad')];
    await disk.writeNew(good, Buffer.from('\uFEFFid: jörg \uFFFD\n'));
    await disk.writeNew(bad, Buffer.from('id: a\r\nname: j\xf6rg\n', 'latin1'));

    expect(await disk.readText(good)).toBe('id: jörg \uFFFD\n');
    await expect(disk.readText(bad)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: `${bad}:2: expected UTF-8`,
    });
  });

  it('reads JSON that can be made again, and nothing of a file that is missing or damaged', async () => {
    const { disk, directory } = await make();
    const contents = { sound: '{"a":[1]}', cut: '{"a":', latin: '{"a":"\xf6"}', empty: '' };
    for (const [name, text] of Object.entries(contents)) {
      await disk.writeNew(join(directory, name), Buffer.from(text, 'latin1'));
    }

    const names = [...Object.keys(contents), 'missing'];
    const read = await Promise.all(names.map((name) => disk.readJsonIfSound(join(directory, name))));

    expect(read).toEqual([{ a: [1] }, undefined, undefined, undefined, undefined]);
  });

  it('reports whether there was a file to remove', async () => {
    const { disk, directory } = await make();
    await disk.writeNew(join(directory, 'a'), HELLO);

    const removed = [await disk.remove(join(directory, 'a')), await disk.remove(join(directory, 'a'))];

    expect(removed).toEqual([true, false]);
  });

  it('creates an exclusive file for exactly one of many callers', async () => {
    const { disk, directory } = await make();
    const path = join(directory, 'lock');

    const wins = await Promise.all([1, 2, 3, 4].map((n) => disk.createExclusive(path, Uint8Array.of(n))));

    expect(wins.filter(Boolean)).toHaveLength(1);
    expect(await disk.readBytes(path)).toEqual(Uint8Array.of(wins.indexOf(true) + 1));
    expect(await disk.list(directory)).toEqual(['lock']);
  });

  it('removes a directory with its content, and accepts a missing one', async () => {
    const { disk, directory } = await make();
    const inner = join(directory, 'x', 'y');
    await disk.makeDirectory(inner);
    await disk.writeNew(join(inner, 'file'), Uint8Array.of(1));

    await disk.removeDirectory(join(directory, 'x'));
    await disk.removeDirectory(join(directory, 'x'));

    await expect(disk.list(inner)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await disk.listDirectories(directory)).toEqual([]);
  });

  it('creates a directory with its parents, and accepts an existing one', async () => {
    const { disk, directory } = await make();
    const deep = join(directory, 'x', 'y');

    const created = await disk.makeDirectory(deep);
    const again = await disk.makeDirectory(deep);

    expect(await disk.list(deep)).toEqual([]);
    expect(created.at(-1)).toBe(deep);
    expect(again).toEqual([]);
  });

  it('removes an empty directory only', async () => {
    const { disk, directory } = await make();
    const [full, empty] = [join(directory, 'full'), join(directory, 'empty')];
    for (const path of [full, empty]) await disk.makeDirectory(path);
    await disk.writeNew(join(full, 'file'), HELLO);

    const removed = [];
    for (const path of [full, empty, empty]) removed.push(await disk.removeEmptyDirectory(path));

    expect(removed).toEqual([false, true, false]);
    expect(await disk.listDirectories(directory)).toEqual(['full']);
  });

  it('lists directories separately from files', async () => {
    const { disk, directory } = await make();
    for (const name of ['y', 'x']) await disk.makeDirectory(join(directory, name));
    await disk.writeNew(join(directory, 'file'), HELLO);

    expect(await disk.listDirectories(directory)).toEqual(['x', 'y']);
    expect(await disk.list(directory)).toEqual(['file']);
    await expect(disk.listDirectories(join(directory, 'none'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('reports the free space', async () => {
    const { disk, directory } = await make();

    expect(await disk.freeBytes(directory)).toBeGreaterThan(0);
  });

  it('detects that its own process runs', async () => {
    const { disk } = await make();

    const own = await disk.ownIdentity();

    expect(await disk.isRunning(own)).toBe(true);
    expect(await disk.isRunning({ ...own, bootId: 'another boot' })).toBe(false);
  });
}
