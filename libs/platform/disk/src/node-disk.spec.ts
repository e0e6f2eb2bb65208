import { afterAll, describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { diskConformance } from '#testing';
import { NodeDisk } from './node-disk.ts';

const made: string[] = [];

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plexus-disk-'));
  made.push(directory);
  return directory;
}

afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true });
});

diskConformance('NodeDisk', async () => ({ disk: new NodeDisk(), directory: await temporaryDirectory() }));

describe('NodeDisk', () => {
  it('distinguishes an ended process from another one with its pid', async () => {
    const disk = new NodeDisk();
    const own = await disk.ownIdentity();

    const answers = [
      await disk.isRunning({ ...own, startTime: '1' }),
      await disk.isRunning({ ...own, pid: 2 ** 22 }),
    ];

    expect(answers).toEqual([false, false]);
  });

  it('reports the operation, the path and the errno of a failure', async () => {
    const disk = new NodeDisk();

    const failure = disk.open('/nonexistent/file', 'read');

    await expect(failure).rejects.toMatchObject({
      code: 'ENOENT',
      operation: 'open',
      path: '/nonexistent/file',
    });
  });

  it('reads a pipe, and a file of the kernel, to its end', async () => {
    const disk = new NodeDisk();
    const pipe = join(await temporaryDirectory(), 'pipe');
    execFileSync('mkfifo', [pipe]);

    const [text] = await Promise.all([disk.readText(pipe), writeFile(pipe, 'x'.repeat(200_000))]);

    expect(text).toBe('x'.repeat(200_000));
    const streams = [pipe, '/dev/null', dirname(pipe), join(dirname(pipe), 'missing')];
    expect(await Promise.all(streams.map((path) => disk.isStream(path)))).toEqual([true, true, false, false]);
    if (process.platform === 'linux') expect(await disk.readText('/proc/self/status')).toMatch(/^Name:/);
  });

  it('reads into shared memory and writes from it', async () => {
    const disk = new NodeDisk();
    const path = join(await temporaryDirectory(), 'shared');
    const bytes = new Uint8Array(new SharedArrayBuffer(3)).fill(7);
    await disk.writeNew(path, bytes);

    const into = new Uint8Array(new SharedArrayBuffer(3));
    const file = await disk.open(path, 'read');
    await file.read(into, 0);
    await file.close();

    expect([...into]).toEqual([7, 7, 7]);
  });
});
