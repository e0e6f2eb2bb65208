import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { InstalledProgram } from './installed-program.ts';

const ROOT = join(import.meta.dirname, '../..');

interface StartedDemo {
  readonly demo: InstalledProgram;
  readonly code: Promise<unknown>;
}

/** A demo of tools/ as a program, whose files are all in a directory of its own. */
export class DemoUnderTest {
  readonly directory = mkdtempSync(join(tmpdir(), 'plexus-demo-test-'));
  readonly #script: string;
  #demo: InstalledProgram | undefined;

  constructor(script: string) {
    this.#script = join(ROOT, 'tools', script);
    // The databases run as another user when this process is root.
    chmodSync(this.directory, 0o755);
  }

  start(...args: readonly string[]): StartedDemo {
    const words = [process.execPath, this.#script, ...args];
    const demo = new InstalledProgram(words, { folder: ROOT, environment: { TMPDIR: this.directory } });
    this.#demo = demo;
    return { demo, code: once(demo.child, 'close').then(([code]: unknown[]) => code) };
  }

  /** Processes of the demo's own directories. */
  processes(): readonly { readonly pid: number; readonly words: string }[] {
    const lines = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' }).stdout.split('\n');
    return lines
      .filter((line) => line.includes(this.directory))
      .map((line) => ({ pid: Number.parseInt(line, 10), words: line }));
  }

  /** What the demo has left behind. */
  left(): readonly unknown[] {
    return [...readdirSync(this.directory), ...this.processes()];
  }

  async close(): Promise<void> {
    await this.#demo?.end('SIGTERM');
    rmSync(this.directory, { recursive: true });
  }
}
