import { connect, type Socket } from 'node:net';
import { errorCodeOf } from '#platform/foundation';

/** There is no socket, or no process listens on it. */
const GONE: ReadonlySet<string | undefined> = new Set(['ENOENT', 'ECONNREFUSED']);

/** HAProxy is unreachable, or its response is invalid. */
export class HaproxyFault extends Error {
  override readonly name = 'HaproxyFault';

  /** HAProxy does not run; otherwise it may still carry traffic. */
  get isGone(): boolean {
    return GONE.has(errorCodeOf(this.cause));
  }
}

export interface RuntimeSocketOptions {
  /** Limit of one command, from connecting to the end of the response. */
  readonly timeoutMs?: number;
  readonly answerBytesMax?: number;
}

const TIMEOUT_MS = 2_000;
const ANSWER_BYTES_MAX = 64 * 2 ** 20;

/** HAProxy's command line on its UNIX socket: one connection per command, closed by HAProxy. */
export class RuntimeSocket {
  readonly path: string;
  readonly #timeoutMs: number;
  readonly #answerBytesMax: number;

  constructor(path: string, options: RuntimeSocketOptions = {}) {
    this.path = path;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#answerBytesMax = options.answerBytesMax ?? ANSWER_BYTES_MAX;
  }

  /** The complete response. Rejects with {@link HaproxyFault} when it is missing or incomplete. */
  ask(command: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(this.path);
    const fail = (reason: string, cause?: Error): void => {
      socket.destroy();
      const options = cause === undefined ? undefined : { cause };
      reject(new HaproxyFault(`${this.path}: ${command}: ${reason}`, options));
    };
    const deadline = setTimeout(() => fail(`no complete answer in ${this.#timeoutMs} ms`), this.#timeoutMs);
    socket.once('close', () => clearTimeout(deadline));
    socket.once('error', (error) => fail(error.message, error));
    collect(socket, this.#answerBytesMax, (bytes) => {
      if (bytes === undefined) fail(`more than ${this.#answerBytesMax} bytes`);
      else if (bytes.length === 0) fail('closed without an answer');
      else resolve(bytes.toString('utf8'));
    });
    socket.write(`${command}\n`);
    return promise;
  }
}

/** Returns all bytes up to the end; undefined as soon as they exceed `bytesMax`. */
function collect(socket: Socket, bytesMax: number, done: (bytes: Buffer | undefined) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  socket.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > bytesMax) done(undefined);
    else chunks.push(chunk);
  });
  socket.once('end', () => done(Buffer.concat(chunks)));
}
