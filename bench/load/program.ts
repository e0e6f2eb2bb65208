import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { cpuMsOf, peakMbOf } from '../harness/process-cost.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface ProgramStart {
  /** Its launcher in `bin`, which becomes the program: the process has the flags that users have. */
  readonly launcher: string;
  readonly args: readonly string[];
  /** Groups of the program's ready message. */
  readonly ready: RegExp;
  /** A checkout; this one by default. */
  readonly root?: string | undefined;
}

/** A built program as a child process, from its ready message on. */
export class Program {
  /** The match of `ready`. */
  readonly found: readonly string[];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(child: ChildProcess, ended: Promise<unknown>, found: readonly string[]) {
    this.#child = child;
    this.#ended = ended;
    this.found = found;
  }

  static async start({ launcher, args, ready, root = ROOT }: ProgramStart): Promise<Program> {
    const child = spawn(join(root, 'bin', launcher), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = once(child, 'exit');
    const lines: string[] = [];
    const found = await new Promise<readonly string[]>((resolve, reject) => {
      const look = (line: string): void => {
        lines.push(line);
        const [, ...groups] = ready.exec(line) ?? [];
        if (groups.length > 0) resolve(groups);
      };
      for (const stream of [child.stdout, child.stderr] as readonly Readable[]) {
        createInterface({ input: stream }).on('line', look);
      }
      ended.then(
        () => reject(new Error(`${launcher} ended before it was ready:\n${lines.join('\n')}`)),
        reject,
      );
    });
    return new Program(child, ended, found);
  }

  /** The processor time of the program without its children. */
  get cpuMs(): number {
    return cpuMsOf(this.#child.pid ?? 0);
  }

  get peakMb(): number {
    return peakMbOf(this.#child.pid ?? 0);
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    await this.#ended;
  }
}

export function startSequencer(...args: readonly string[]): Promise<Program> {
  return Program.start({
    launcher: 'plexus-sequencer',
    args: ['--mode', 'sim', '--rpc-port', '0', '--feed-port', '0', ...args],
    ready: /rpc (http:\/\/127\.0\.0\.1:\d+), feed (ws:\/\/127\.0\.0\.1:\d+)$/,
  });
}

/** `found`: its URL, and its address for edges; port 0 is any. */
export function startHive(dataDirectory: string, grpcPort = 0, root?: string): Promise<Program> {
  const ports = ['--http-port', '0', '--grpc-port', String(grpcPort)];
  return Program.start({
    launcher: 'plexus-hive',
    args: ['serve', '--data-dir', dataDirectory, '--log-format', 'json', ...ports],
    ready: /"event":"server.listening","url":"([^"]+)","grpc":"([^"]+)"/,
    root,
  });
}

export function startEdge(configPath: string, root?: string): Promise<Program> {
  return Program.start({
    launcher: 'plexus-edge',
    args: ['--config', configPath],
    ready: /(connected to the hive)/,
    root,
  });
}
