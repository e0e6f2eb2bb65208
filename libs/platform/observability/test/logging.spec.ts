import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('./chatty-program.ts', import.meta.url));
const ARGUMENTS = ['--conditions=plexus-source', '--disable-warning=ExperimentalWarning', PROGRAM];
/** Several megabytes: more than a pipe or a socket buffers. */
const MANY = 30_000;

interface Chatty extends ChildProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
}

describe('log of a process', () => {
  const directory = mkdtempSync(join(tmpdir(), 'plexus-logging-'));
  let child: Chatty | undefined;

  afterEach(() => {
    child?.kill('SIGKILL');
    child = undefined;
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const start = (format: string, count: number, stderr: 'pipe' | number): Chatty => {
    const args = [...ARGUMENTS, format, String(count)];
    child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', stderr] }) as Chatty;
    return child;
  };
  /** What the program prints to standard output before it ends. */
  const done = ({ stdout }: Chatty): Promise<string> =>
    new Promise((resolve) => {
      stdout.once('data', (chunk: Buffer) => resolve(chunk.toString()));
      stdout.once('end', () => resolve('nothing'));
    });

  it.each(['json', 'text'])('does not block a program whose socket is not read: %s', async (format) => {
    const chatty = start(format, MANY, 'pipe');

    const said = await done(chatty);
    chatty.stdin.write('end\n');
    const [code] = (await once(chatty, 'exit')) as [number];

    expect([said, code]).toEqual(['done\n', 0]);
  });

  it('does not block a program whose pipe is not read', async () => {
    const path = join(directory, 'fifo');
    execFileSync('mkfifo', [path]);
    const descriptor = openSync(path, 'r+');
    const chatty = start('json', MANY, descriptor);

    const said = await done(chatty);
    chatty.stdin.write('end\n');
    const [code] = (await once(chatty, 'exit')) as [number];
    closeSync(descriptor);

    expect([said, code]).toEqual(['done\n', 0]);
  });

  it('reports the number of dropped lines when the reader returns', async () => {
    const chatty = start('json', MANY, 'pipe');
    await done(chatty);
    const text: Buffer[] = [];
    chatty.stderr?.on('data', (chunk: Buffer) => {
      text.push(chunk);
      if (chunk.includes('log.dropped')) chatty.stdin.write('end\n');
    });
    await once(chatty, 'close');
    const lines = Buffer.concat(text).toString().trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { event: string; dropped?: number });
    const dropped = events.reduce((sum, line) => sum + (line.dropped ?? 0), 0);
    const seen = events.filter(({ event }) => event === 'test.line' || event === 'test.many').length;

    expect(dropped).toBeGreaterThan(0);
    expect(seen + dropped).toBe(2 * MANY);
    expect(events.at(-1)?.event).toBe('test.last');
  });

  it.each(['json', 'text'])('loses no line for an active reader, in a file or not: %s', async (format) => {
    const file = join(directory, `log.${format}`);
    const descriptor = openSync(file, 'a');
    const toFile = start(format, 1_000, descriptor);
    await done(toFile);
    toFile.stdin.write('end\n');
    await once(toFile, 'exit');
    closeSync(descriptor);
    const chatty = start(format, 1_000, 'pipe');
    const text: Buffer[] = [];
    chatty.stderr?.on('data', (chunk: Buffer) => text.push(chunk));
    chatty.stdin.write('end\n');
    await once(chatty, 'close');
    const counts = [readFileSync(file, 'utf8'), Buffer.concat(text).toString()].map(
      (log) => log.match(/\btest\.(?:line|many|last)\b/g)?.length,
    );

    expect(counts).toEqual([2_001, 2_001]);
  });
});
