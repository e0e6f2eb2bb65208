import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram, startServer } from './support/built-program.ts';

const STATUS = (names: readonly string[]) =>
  names.map((name) => `Package: ${name}\nStatus: install ok installed\nVersion: 1\n`).join('\n');

describe('plexus collect host', () => {
  let directory: string;
  let root: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plexus-collect-'));
    root = join(directory, 'root');
    await mkdir(join(root, 'var/lib/dpkg'), { recursive: true });
    await mkdir(join(root, 'etc'));
    await writeFile(join(root, 'etc/hostname'), 'web-1\n');
    await writeFile(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n');
    await writeFile(join(root, 'var/lib/dpkg/status'), STATUS(['a', 'b', 'c']));
  });
  afterEach(() => rm(directory, { recursive: true }));

  it('syncs a machine into a data directory, and removes exactly what went', async () => {
    const dataDir = join(directory, 'data');
    const collect = () => runProgram(['collect', 'host', '--root', root, '--data-dir', dataDir]);
    const first = await collect();
    await writeFile(join(root, 'var/lib/dpkg/status'), STATUS(['a', 'c']));
    const second = await collect();
    const pql = 'FIND host THAT CONTAINS deb_package AS p RETURN p.name';
    const left = await runProgram(['query', pql, '--format', 'csv', '--data-dir', dataDir]);

    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(/^created +5 +4$/m);
    expect(second.stdout).toMatch(/^deleted +1 +1$/m);
    expect(left.stdout.trim().split(/\r?\n/)).toEqual(['p.name', 'a', 'c']);
    expect(await readdir(root)).toEqual(['etc', 'var']);
  });

  it('sends a machine to a server, and this one as well', async () => {
    const server = await startServer(['--data-dir', join(directory, 'data')]);
    const there = await runProgram(['collect', 'host', '--root', root, '--url', server.url, '--id', 'web']);
    const again = await runProgram(['collect', 'host', '--root', root, '--url', server.url, '--id', 'web']);
    const here = await runProgram(['collect', 'host', '--url', server.url]);
    const query = [
      'query',
      'FIND host THAT HAS local_user WITH name = "root" RETURN host.name',
      '--url',
      server.url,
    ];
    const hosts = await runProgram([...query, '--format', 'csv']);
    await server.end('SIGTERM');

    expect([there.code, again.code, here.code]).toEqual([0, 0, 0]);
    expect(there.stdout).toMatch(/^created +5 +4$/m);
    expect(again.stdout).toMatch(/^unchanged +5 +4$/m);
    expect(hosts.stdout.trim().split(/\r?\n/)).toHaveLength(3);
    expect(hosts.stdout).toContain('web-1');
  });

  it('needs a place to write, and a machine with a name', async () => {
    await rm(join(root, 'etc/hostname'));
    const nowhere = await runProgram(['collect', 'host', '--root', root]);
    const unnamed = await runProgram([
      'collect',
      'host',
      '--root',
      root,
      '--data-dir',
      join(directory, 'data'),
    ]);

    expect(nowhere).toMatchObject({ code: 2 });
    expect(unnamed).toMatchObject({ code: 1 });
    expect(unnamed.stderr).toContain('expected the name of the machine in etc/hostname');
  });
});
