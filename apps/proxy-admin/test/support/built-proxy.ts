import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../../dist/programs/proxy-admin.js', import.meta.url));

/** The built program as a child process; run `npm run build` first. */
function startProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PLEXUS_') && name !== 'NODE_OPTIONS',
  );
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
  });
}

/** Runs a command to its end, with this standard input. */
export async function runProxy(
  args: readonly string[],
  input: string,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = startProgram(args);
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, stdout, stderr };
}

/** A line of the log. */
export interface LogLine {
  readonly event: string;
  readonly level: number;
  readonly [field: string]: unknown;
}

/** The running program, started with `run` and JSON log lines. */
export class BuiltProxy {
  readonly child: ChildProcessWithoutNullStreams;
  readonly log: LogLine[] = [];
  readonly #ended: Promise<readonly [code: number | null, signal: string | null]>;
  readonly #looks = new Set<() => void>();

  /** Resolves when it is LIVE. */
  static async start(file: string, environment?: Readonly<Record<string, string>>): Promise<BuiltProxy> {
    const proxy = BuiltProxy.starting(file, environment);
    await proxy.logged('proxy.running');
    return proxy;
  }

  static starting(file: string, environment?: Readonly<Record<string, string>>): BuiltProxy {
    return new BuiltProxy(startProgram(['--log-format', 'json', 'run', file], environment));
  }

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.child = child;
    this.#ended = once(child, 'close') as Promise<[number | null, string | null]>;
    createInterface(child.stderr).on('line', (line) => {
      this.log.push(JSON.parse(line) as LogLine);
      for (const look of this.#looks) look();
    });
  }

  /** The URL of the admin server. */
  get url(): string {
    return String(this.log.find(({ event }) => event === 'admin.listening')?.['url']);
  }

  /** The address of a listener. */
  addressOf(listener: string): string {
    const listeners = this.log.find(({ event }) => event === 'proxy.running')?.['listeners'];
    return (listeners as Record<string, string>)[listener] ?? '';
  }

  /** Resolves with the first matching log line of an event. */
  async logged(event: string, isWanted: (line: LogLine) => boolean = () => true): Promise<LogLine> {
    const { promise, resolve } = Promise.withResolvers<LogLine>();
    const look = (): void => {
      const line = this.log.find((candidate) => candidate.event === event && isWanted(candidate));
      if (line !== undefined) resolve(line);
    };
    this.#looks.add(look);
    look();
    const ended = this.#ended.then(() => {
      throw new Error(`the proxy ended before ${event}: ${JSON.stringify(this.log)}`);
    });
    return Promise.race([promise, ended]).finally(() => this.#looks.delete(look));
  }

  /** Exit code, or the signal that ended it. */
  async ended(): Promise<number | string | null> {
    const [code, signal] = await this.#ended;
    return signal ?? code;
  }

  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    this.child.kill(signal);
    return this.ended();
  }
}
