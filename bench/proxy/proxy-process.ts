import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const START_MS_MAX = 30_000;
const POLL_MS = 50;
/** USER_HZ of all common Linux systems. */
const TICK_MS = 10;
/** After the name in parentheses: utime and stime are fields 14 and 15 of /proc/<pid>/stat. */
const UTIME_AFTER_NAME = 11;
const LOG_CHARS_KEPT = 2_000;

/** A proxy as a child process: its ports, and its cost. */
export class ProxyProcess {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.port = port;
  }

  /** Resolves when the port accepts connections. */
  static async start(command: string, args: readonly string[], port: number): Promise<ProxyProcess> {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-LOG_CHARS_KEPT);
    });
    const deadline = performance.now() + START_MS_MAX;
    while (!(await takesConnections(port))) {
      if (child.exitCode !== null) throw new Error(`${command} ended with ${child.exitCode}: ${log}`);
      if (performance.now() > deadline) throw new Error(`${command} did not start: ${log}`);
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    return new ProxyProcess(child, port);
  }

  /** Total CPU time of its threads. */
  get cpuMs(): number {
    return cpuMsOf(this.#child.pid);
  }

  /** The same, followed by that of each child process. */
  get cpuMsOfEach(): readonly number[] {
    const { pid } = this.#child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/);
    return [this.cpuMs, ...children.filter((child) => child !== '').map((child) => cpuMsOf(Number(child)))];
  }

  get residentBytes(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1_024;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

function cpuMsOf(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[UTIME_AFTER_NAME]) + Number(fields[UTIME_AFTER_NAME + 1])) * TICK_MS;
}

function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}
