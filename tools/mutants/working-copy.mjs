/**
 * A copy of the checkout in which one file at a time is mutated: worker threads and child processes that load
 * sources see the mutation too, and the checkout itself is never changed.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mutated } from './mutations.mjs';

const FOLDERS = ['apps', 'libs', 'proto', 'rules', 'samples', 'test', 'tools', 'docs', 'bin'];
const FILES = ['package.json', 'package-lock.json', 'jest.config.ts', 'tsconfig.json', 'README.md'];

export class WorkingCopy {
  constructor(root) {
    this.folder = mkdtempSync(join(tmpdir(), 'plexus-mutants-'));
    process.on('exit', () => this.remove());
    const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...FOLDERS, ...FILES];
    const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 }).split('\0');
    for (const path of listed.filter((path) => path !== '' && existsSync(join(root, path)))) {
      cpSync(join(root, path), join(this.folder, path));
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Calls `run` with the mutation applied. */
  async with(mutation, run) {
    const path = join(this.folder, mutation.file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, mutated(text, mutation));
    try {
      return await run();
    } finally {
      writeFileSync(path, text);
    }
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
