import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HAPROXY = ['/usr/sbin/haproxy', '/usr/local/sbin/haproxy', '/opt/homebrew/bin/haproxy'].find((path) =>
  existsSync(path),
);

/** Whether HAProxy is installed; on Debian the package is haproxy. */
export const isHaproxyInstalled = HAPROXY !== undefined;

/** Precedes the sections of a test. */
const defaults = (socket: string): string => `
global
  stats socket ${socket} mode 600 level admin expose-fd listeners
  maxconn 200
  hard-stop-after 5s
defaults
  mode http
  timeout connect 30s
  timeout client 10s
  timeout server 10s
  timeout check 30s
`;

/** A real HAProxy, with one process except during a reload. */
export class HaproxyServer {
  readonly socket: string;
  readonly configFile: string;
  readonly #directory: string;
  /** The last one serves. */
  readonly #processes: ChildProcess[] = [];

  static async start(sections: string): Promise<HaproxyServer> {
    const server = new HaproxyServer(await mkdtemp(join(tmpdir(), 'plexus-haproxy-')));
    await server.configure(sections);
    await server.begin();
    return server;
  }

  private constructor(directory: string) {
    this.#directory = directory;
    this.socket = join(directory, 'admin.sock');
    this.configFile = join(directory, 'haproxy.cfg');
  }

  async configure(sections: string): Promise<void> {
    await writeFile(this.configFile, `${defaults(this.socket)}${sections}\n`);
  }

  /** Starts again on the same socket after {@link kill}. */
  async begin(): Promise<void> {
    await this.#run([]);
  }

  /** A new process takes over the ports with counters at zero; the old one completes its requests. */
  async reload(): Promise<void> {
    const pid = this.#processes.at(-1)?.pid ?? 0;
    await this.#run(['-x', this.socket, '-sf', String(pid)]);
  }

  /** Resolves when no process is left. */
  async kill(): Promise<void> {
    const left = this.#processes
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && !signalCode);
    const ends = left.map((child) => once(child, 'exit'));
    for (const child of left) child.kill('SIGTERM');
    await Promise.all(ends);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true });
  }

  async #run(more: readonly string[]): Promise<void> {
    const args = ['-db', '-f', this.configFile, ...more];
    const child = spawn(HAPROXY ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (text: Buffer) => (said += text.toString()));
    this.#processes.push(child);
    while ((await answeringPid(this.socket)) !== child.pid) {
      if (child.exitCode !== null) throw new Error(`haproxy ended: ${said}`);
    }
  }
}

/** Undefined while no process answers. */
async function answeringPid(path: string): Promise<number | undefined> {
  const socket = connect(path);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined);
  socket.write('show info\n');
  await once(socket, 'close').catch(() => undefined);
  const [, pid] = /^Pid: (\d+)$/m.exec(Buffer.concat(chunks).toString()) ?? [];
  return pid === undefined ? undefined : Number(pid);
}
