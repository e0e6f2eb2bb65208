import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../../../dist/programs/hive.js', import.meta.url));

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the built program as a child process; requires `npm run build`. */
function start(args: readonly string[]): ChildProcessWithoutNullStreams {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('PLEXUS_') && name !== 'NODE_OPTIONS',
  );
  return spawn(process.execPath, [MAIN, ...args], { env: Object.fromEntries(inherited) });
}

/** A running command. */
export interface FollowedCommand {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when a line on standard error matches. */
  told(line: RegExp): Promise<void>;
  readonly ended: Promise<CommandRun>;
}

/** Runs a command to its end. */
export function runHive(...args: readonly string[]): Promise<CommandRun> {
  return followHive(...args).ended;
}

export function followHive(...args: readonly string[]): FollowedCommand {
  const child = start(args);
  const lines = createInterface(child.stderr);
  const ended = endOf(child);
  const told = (line: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      lines.on('line', (text) => {
        if (line.test(text)) resolve();
      });
      ended.then(({ stderr }) => reject(new Error(`it ended before it told ${line}: ${stderr}`)), reject);
    });
  return { child, told, ended };
}

async function endOf(child: ChildProcessWithoutNullStreams): Promise<CommandRun> {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
}

/** A running hive. */
export interface ServingHive {
  readonly url: string;
  readonly grpcAddress: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Sends the signal, and returns the exit code, or null if the signal ended the process. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

export async function serveHive(directory: string, grpcPort = '0', httpPort = '0'): Promise<ServingHive> {
  const ports = ['--http-port', httpPort, '--grpc-port', grpcPort];
  const child = start(['serve', '--data-dir', directory, '--log-format', 'json', ...ports]);
  const closed = once(child, 'close') as Promise<[number | null]>;
  const log: string[] = [];
  const address = await new Promise<readonly [string, string]>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      log.push(line);
      const [, url, grpc] = /"event":"server.listening","url":"([^"]+)","grpc":"([^"]+)"/.exec(line) ?? [];
      if (url !== undefined && grpc !== undefined) resolve([url, grpc]);
    });
    closed.then(() => reject(new Error(`the hive ended: ${log.join('\n')}`)), reject);
  });
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return (await closed)[0];
  };
  return { url: address[0], grpcAddress: address[1], child, end };
}
