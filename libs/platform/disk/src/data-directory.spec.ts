import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataDirectory, type DirectoryOwner } from './data-directory.ts';
import { DirectoryLock } from './directory-lock.ts';
import { NodeDisk } from './node-disk.ts';

const disk = new NodeDisk();
let parent: string;

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'plexus-claim-'));
});
afterEach(() => rm(parent, { recursive: true }));

const claim = (directory: string, owner: DirectoryOwner = 'graph') =>
  DataDirectory.claim(disk, directory, { owner });

describe('a data directory', () => {
  it('and its lock are readable by their owner only', async () => {
    const directory = join(parent, 'a', 'b');
    const claimed = await claim(directory);

    const modes = [directory, join(directory, 'lock-1')].map(async (path) => (await stat(path)).mode & 0o777);

    expect(await Promise.all(modes)).toEqual([0o700, 0o600]);
    await claimed.release();
  });

  it('is removed after a failed start, with the parents that it needed, but not with what others have put there', async () => {
    const failed = await claim(join(parent, 'a', 'b'));
    await failed.undo();
    expect(await readdir(parent)).toEqual([]);

    const other = await claim(join(parent, 'a', 'b'));
    await writeFile(join(parent, 'a', 'note'), '');
    await other.undo();
    expect(await readdir(join(parent, 'a'))).toEqual(['note']);

    await mkdir(join(parent, 'empty'));
    await (await claim(join(parent, 'empty'))).undo();
    expect(await readdir(parent)).toEqual(['a', 'empty']);
  });

  it('that another process holds is refused, and stays', async () => {
    const directory = join(parent, 'held');
    const claimed = await claim(directory);

    await expect(claim(directory)).rejects.toMatchObject({ code: 'STORE_LOCKED' });

    expect(await readdir(directory)).toEqual(['lock-1']);
    await claimed.release();
  });

  it.each<[DirectoryOwner, string, string]>([
    ['graph', 'edges.json', 'which is that of a hive: it has edges.json'],
    ['graph', 'runs/r-20261121-141503-k3v9ax/run.json', 'which is that of a hive: it has runs/'],
    ['hive', 'MANIFEST', 'which is that of the graph service: it has MANIFEST'],
  ])('of another program is refused by name: %s, %s', async (owner, file, message) => {
    await mkdir(join(parent, file, '..'), { recursive: true });
    await writeFile(join(parent, file), '');

    await expect(claim(parent, owner)).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(`got ${parent}, ${message}`),
    });
    expect(await readdir(parent)).toEqual([file.split('/')[0]]);
  });

  it('with the files of both programs, or a directory of that name, is accepted', async () => {
    await writeFile(join(parent, 'MANIFEST'), '');
    await writeFile(join(parent, 'edges.json'), '');
    await mkdir(join(parent, 'mine', 'runs', 'morning'), { recursive: true });

    for (const owner of ['graph', 'hive'] as const) await (await claim(parent, owner)).release();
    await (await claim(join(parent, 'mine'))).release();

    expect(await readdir(parent)).toEqual(['MANIFEST', 'edges.json', 'mine']);
  });

  it.each(['/proc/plexus-data', '/proc/a/b/c', '/dev/null/data'])(
    'that cannot be created ends in an error: %s',
    async (directory) => {
      await expect(claim(directory)).rejects.toMatchObject({ operation: 'make directory' });
    },
  );

  it('leaves no parent behind if it cannot be created', async () => {
    await expect(claim(join(parent, 'a', 'x'.repeat(300)))).rejects.toMatchObject({ code: 'ENAMETOOLONG' });

    expect(await readdir(parent)).toEqual([]);
  });

  it('whose lock cannot be completed is free again', async () => {
    const failing = new (class extends NodeDisk {
      override remove(path: string): Promise<boolean> {
        return path.endsWith('lock-1') ? Promise.reject(new Error('no')) : super.remove(path);
      }
    })();
    await writeFile(join(parent, 'lock-1'), 'of a crash');

    await expect(DirectoryLock.acquire(failing, parent)).rejects.toThrow('no');

    expect(await readdir(parent)).toEqual(['lock-1']);
  });
});
