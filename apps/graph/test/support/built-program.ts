import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../../dist/programs/graph.js', import.meta.url));

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** The built program as a child process; requires `npm run build`. */
export function startProgram(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PLEXUS_') && name !== 'NODE_OPTIONS',
  );
  return spawn(process.execPath, [MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...environment },
  });
}

/** Runs it to its end. */
export async function runProgram(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const child = startProgram(args, options.environment);
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.end(options.stdin ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
}

/** A server that listens. */
export interface RunningServer {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** All lines it has logged so far. */
  readonly log: readonly string[];
  /** Resolves when the given number of lines with the text have been logged. */
  lineWith(text: string, count: number): Promise<void>;
  /** Sends the signal and returns the exit code; null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export async function startServer(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const child = startProgram(['serve', '--port', '0', '--log-format', 'json', ...args], environment);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const lineWith = (text: string, count: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (log.filter((line) => line.includes(text)).length < count) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      log.push(line);
      for (const look of waiting) look();
      const listening = /"event":"server.listening","url":"([^"]+)"/.exec(line)?.[1];
      if (listening !== undefined) resolve(listening);
    });
    closed.then(() => reject(new Error(`the server ended: ${log.join('\n')}`)), reject);
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await closed)[0];
  };
  return { url, child, log, lineWith, end };
}
