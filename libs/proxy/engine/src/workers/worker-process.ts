import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { LineRelay } from '#platform/observability';
import { ProcessChannel } from './process-channel.ts';
import type { MainMethods, WorkerMethods } from './worker-protocol.ts';

const END_MS_MAX = 5_000;

/** `.ts` in the sources, `.js` in the build, where all workers are in one folder with the programs. */
const FILE = fileURLToPath(new URL(`./proxy-worker${extname(import.meta.url)}`, import.meta.url));

/** A worker, from the side of the main process. */
export class WorkerProcess {
  readonly channel: ProcessChannel<WorkerMethods, MainMethods>;
  /** Resolves with the exit code or the signal, when all of its output is read. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  /** Writers that share a pipe may split lines: each worker has its own pipe. */
  constructor(own: MainMethods, relay: LineRelay) {
    this.#child = fork(FILE, [], {
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.channel = new ProcessChannel(this.#child, own);
    this.ended = this.#end(relayLines(this.#child.stderr, relay));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Node does not emit `close` when this process has closed the channel. */
  async #end(isRead: Promise<unknown>): Promise<string> {
    const ended = Promise.withResolvers<string>();
    this.#child.once('exit', (code, signal) => ended.resolve(signal ?? `exit code ${String(code)}`));
    this.#child.on('error', (error) => {
      ended.resolve(error.message);
      this.kill();
    });
    await isRead;
    const reason = await ended.promise;
    this.channel.close();
    return reason;
  }

  /** Lets it end by itself, or kills it when it does not. */
  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    const late = setTimeout(() => this.kill(), END_MS_MAX);
    await this.ended;
    clearTimeout(late);
  }
}

/** Resolves at the end of the stream. */
async function relayLines(stream: Readable | null, relay: LineRelay): Promise<void> {
  if (stream === null) return;
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const end = chunk.lastIndexOf('\n') + 1;
    if (end > 0) relay(rest + chunk.slice(0, end), lineEnds(chunk));
    rest = end > 0 ? chunk.slice(end) : rest + chunk;
  });
  await once(stream, 'close');
  if (rest !== '') relay(`${rest}\n`, 1);
}

function lineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
