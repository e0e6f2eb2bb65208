import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

const REPOSITORY = join(import.meta.dirname, '..');

/** Records its run, then writes the results of npm: the packages and, last, its own list of them. */
const FAKE_NPM = `#!/usr/bin/env node
const { appendFileSync, copyFileSync, mkdirSync, writeFileSync } = require('node:fs');
appendFileSync('calls.log', 'npm ' + process.argv[2] + '\\n');
mkdirSync('node_modules/typescript/bin', { recursive: true });
writeFileSync('node_modules/typescript/bin/tsc', \`
  const { appendFileSync, cpSync, mkdirSync, readdirSync } = require('node:fs');
  appendFileSync('calls.log', 'tsc\\\\n');
  mkdirSync('dist/libs', { recursive: true });
  for (const name of readdirSync('apps/graph/src'))
    cpSync('apps/graph/src/' + name, 'dist/apps/graph/src/' + name.replace('.ts', '.js'));
\`);
copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

/** Records the bundling of the programs, each from one file. */
const FAKE_BUNDLE = `
  import { appendFileSync, cpSync } from 'node:fs';
  appendFileSync('calls.log', 'bundle\\n');
  cpSync('dist/apps/graph/src/main.js', 'dist/programs/graph.js');
`;

/** Records the build of the pages. */
const FAKE_PAGES = `
  import { appendFileSync } from 'node:fs';
  appendFileSync('calls.log', 'web\\n');
`;

/** Prints its input, then ends as requested: by its argument, or by a signal. */
const FAKE_APP = `
  const [code] = process.argv.slice(2);
  if (code === 'wait') {
    process.once('SIGTERM', () => { console.log('SIGTERM'); process.exit(7); });
    setInterval(() => {}, 1000);
  } else process.exitCode = Number(code);
  console.log('args ' + process.argv.slice(2).join(' '));
  if (process.argv[3] === 'tunables') console.log(process.env.GLIBC_TUNABLES);
`;

const lockFile = (version: string) =>
  JSON.stringify({
    packages: { 'node_modules/typescript': { version }, 'node_modules/other': { optional: true } },
  });

describe('bootstrap', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'plexus-bootstrap-'));
    for (const part of [
      'tools/bootstrap',
      'tools/bootstrap.mjs',
      'tools/launch.sh',
      'tools/node-flags.txt',
      'bin',
    ]) {
      cpSync(join(REPOSITORY, part), join(root, part), { recursive: true });
    }
    for (const folder of ['apps/graph/src', 'libs', 'web', 'npm'])
      mkdirSync(join(root, folder), { recursive: true });
    for (const settings of ['tsconfig.json', 'tsconfig.build.json'])
      writeFileSync(join(root, settings), '{}');
    writeFileSync(join(root, 'tools/build-web.mjs'), FAKE_PAGES);
    writeFileSync(join(root, 'tools/bundle.mjs'), FAKE_BUNDLE);
    writeFileSync(join(root, 'package.json'), '{"type":"commonjs"}');
    writeFileSync(join(root, 'package-lock.json'), lockFile('1.0.0'));
    writeFileSync(join(root, 'apps/graph/src/main.ts'), FAKE_APP);
    writeFileSync(join(root, 'npm/npm'), FAKE_NPM);
    chmodSync(join(root, 'npm/npm'), 0o755);
  });

  afterEach(() => rmSync(root, { recursive: true }));

  const calls = () => readFileSync(join(root, 'calls.log'), 'utf8').trim().split('\n');

  function start(args: readonly string[], program = join(root, 'bin/plexus'), variables = {}): ChildProcess {
    const PATH = [join(root, 'npm'), process.env['PATH']].join(delimiter);
    return spawn(program, args, {
      cwd: tmpdir(),
      env: { ...process.env, ...variables, PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  async function end(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const texts = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk: Buffer) => (texts.stdout += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (texts.stderr += chunk.toString()));
    await once(child, 'close');
    return { code: child.exitCode, ...texts };
  }

  it('installs and builds once, then runs the program with its arguments and exit code', async () => {
    const first = await end(start(['3', 'serve', '--flag']));
    const second = await end(start(['0', 'serve']));

    expect([first.code, first.stdout]).toEqual([3, 'args 3 serve --flag\n']);
    expect([second.code, second.stdout, second.stderr]).toEqual([0, 'args 0 serve\n', '']);
    expect(calls()).toEqual(['npm ci', 'tsc', 'bundle', 'web']);
  });

  it('requests huge pages for the graph, and keeps other tunables', async () => {
    const variables = { GLIBC_TUNABLES: 'glibc.malloc.arena_max=8' };
    const { stdout } = await end(start(['0', 'tunables'], undefined, variables));

    expect(stdout).toContain('\nglibc.malloc.hugetlb=1:glibc.malloc.arena_max=8\n');
  });

  it('builds again after a change of a source, and installs again after a change of the lock file', async () => {
    await end(start(['0']));

    writeFileSync(join(root, 'apps/graph/src/main.ts'), `${FAKE_APP}\n`);
    await end(start(['0']));
    writeFileSync(join(root, 'package-lock.json'), lockFile('1.0.1'));
    await end(start(['0']));

    expect(calls()).toEqual(['npm ci', 'tsc', 'bundle', 'tsc', 'bundle', 'npm ci', 'tsc', 'bundle']);
  });

  it('builds pages only for a program that serves them, and nothing else after an edit of a page', async () => {
    await end(start(['0', 'serve']));
    writeFileSync(join(root, 'web/page.svelte'), '<p>1</p>');
    await end(start(['0', '--version']));
    const withoutPages = calls();
    await end(start(['0', 'serve']));

    expect(withoutPages).toEqual(['npm ci', 'tsc', 'bundle', 'web']);
    expect(calls()).toEqual(['npm ci', 'tsc', 'bundle', 'web', 'web']);
  });

  it('builds no page after an edit of a server', async () => {
    await end(start(['0', 'serve']));
    writeFileSync(join(root, 'apps/graph/src/main.ts'), `${FAKE_APP}\n`);
    await end(start(['0', 'serve']));

    expect(calls()).toEqual(['npm ci', 'tsc', 'bundle', 'web', 'tsc', 'bundle']);
  });

  it('removes the output of a deleted source', async () => {
    writeFileSync(join(root, 'apps/graph/src/old.ts'), '');
    await end(start(['0']));
    const before = readdirSync(join(root, 'dist/apps/graph/src'));
    rmSync(join(root, 'apps/graph/src/old.ts'));
    await end(start(['0']));

    expect(before).toEqual(['main.js', 'old.js']);
    expect(readdirSync(join(root, 'dist/apps/graph/src'))).toEqual(['main.js']);
  });

  it('does the work once when several are started at the same time', async () => {
    const ends = await Promise.all([1, 2, 3, 4].map(() => end(start(['0']))));

    expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(calls()).toEqual(['npm ci', 'tsc', 'bundle']);
  });

  it('replaces the lock of an ended process', async () => {
    const gone = start(['0'], 'true');
    await once(gone, 'close');
    writeFileSync(join(root, '.bootstrap.lock'), String(gone.pid));

    const { code } = await end(start(['0']));

    expect(code).toBe(0);
  });

  it('runs through a symbolic link', async () => {
    const link = join(root, 'link');
    symlinkSync('bin/plexus', link);

    const { stdout } = await end(start(['0'], link));

    expect(stdout).toBe('args 0\n');
  });

  it.each(['bin/plexus', 'tools/bootstrap.mjs'])(
    '%s is forwarded to the program, which determines the exit',
    async (entry) => {
      await end(start(['0']));
      const isPlexus = entry === 'bin/plexus';
      const args = isPlexus ? ['wait'] : [join(root, entry), 'dist/programs/graph.js', 'wait'];
      const child = start(args, isPlexus ? join(root, entry) : process.execPath);
      child.stdout?.once('data', () => child.kill('SIGTERM'));

      const { code, stdout } = await end(child);

      expect([code, stdout]).toEqual([7, 'args wait\nSIGTERM\n']);
    },
  );

  it('ends the preparation with its launcher', async () => {
    // A build that ends only when it is killed.
    const build = "console.log('building'); setInterval(() => {}, 1000);";
    const npm = FAKE_NPM.replace(
      /('node_modules\/typescript\/bin\/tsc', )`[^]*?`\);/,
      `$1${JSON.stringify(build)});`,
    );
    writeFileSync(join(root, 'npm/npm'), npm);
    const child = start(['0', 'serve']);
    child.stderr?.on('data', (text: Buffer) => {
      if (text.includes('building\n')) child.kill('SIGTERM');
    });

    // Its output is closed when all processes that have it have ended.
    await end(child);

    expect(child.signalCode).toBe('SIGTERM');
    expect(calls()).toEqual(['npm ci']);
    expect(existsSync(join(root, '.bootstrap.lock'))).toBe(false);
  });

  it('fails with the reason, and records nothing, when the build fails', async () => {
    writeFileSync(join(root, 'npm/npm'), FAKE_NPM.replace('for (const', 'process.exit(2); for (const'));

    const first = await end(start(['0']));
    const second = await end(start(['0']));

    expect([first.code, second.code]).toEqual([1, 1]);
    expect(second.stderr).toMatch(/tsc -p tsconfig\.build\.json ended with exit code 2\n$/);
    expect(calls()).toEqual(['npm ci', 'tsc', 'tsc']);
  });
});
