import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../../dist/programs/sequencer.js', import.meta.url));
const READY =
  /^plexus-sequencer is ready: .*, rpc http:\/\/127\.0\.0\.1:(\d+), feed ws:\/\/127\.0\.0\.1:(\d+)$/;

type Environment = Readonly<Record<string, string>>;

/** The built program as a child process; requires `npm run build`. */
export function startSequencer(args: readonly string[], environment: Environment = {}): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => name !== 'NODE_OPTIONS');
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

export interface EndedRun {
  readonly code: number | null;
  readonly stderr: string;
}

/** Runs the program until it exits. */
export async function runSequencer(
  args: readonly string[],
  environment: Environment = {},
): Promise<EndedRun> {
  const child = startSequencer(args, environment);
  const err: Buffer[] = [];
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: Buffer.concat(err).toString() };
}

/** A running program that is ready. */
export class ReadySequencer {
  readonly child: ChildProcess;
  readonly rpcPort: number;
  readonly feedPort: number;
  /** Its log lines so far. */
  readonly log: readonly string[];
  readonly #closed: Promise<unknown[]>;

  private constructor(child: ChildProcess, ready: readonly string[], log: readonly string[]) {
    this.child = child;
    this.#closed = once(child, 'close');
    this.rpcPort = Number(ready[1]);
    this.feedPort = Number(ready[2]);
    this.log = log;
  }

  static async start(args: readonly string[]): Promise<ReadySequencer> {
    const child = startSequencer(['--rpc-port', '0', '--feed-port', '0', '--log-format', 'json', ...args]);
    const log: string[] = [];
    if (child.stdout === null || child.stderr === null) throw new Error('the child has no output');
    createInterface(child.stderr).on('line', (line) => log.push(line));
    for await (const line of createInterface(child.stdout)) {
      const ready = READY.exec(line);
      if (ready !== null) return new ReadySequencer(child, ready, log);
    }
    throw new Error(`the sequencer ended: ${log.join('\n')}`);
  }

  /** Sends the signal, and returns the exit code; null if the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<unknown> {
    this.child.kill(signal);
    return (await this.#closed)[0];
  }
}
