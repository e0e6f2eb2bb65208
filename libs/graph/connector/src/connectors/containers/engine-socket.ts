/** Reads the API of Docker, which Podman serves as well, over its socket. It asks, and changes nothing. */
import { type IncomingMessage, request } from 'node:http';
import { DomainError } from '#platform/foundation';
import { parseJson } from '../document/json-text.ts';

/** Of Docker 20.10 and Podman 3: later engines serve it too. */
const VERSION = 'v1.41';
const TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 256 * 1_048_576;

export class EngineSocket {
  readonly #socketPath: string;
  readonly #signal: AbortSignal;

  constructor(socketPath: string, signal: AbortSignal) {
    this.#socketPath = socketPath;
    this.#signal = signal;
  }

  /** Undefined for what the engine does not have any more. */
  async get(path: string): Promise<unknown> {
    const reply = await this.#send(`/${VERSION}${path}`);
    const text = await textOf(reply, path);
    if (reply.statusCode === 404) return undefined;
    if (reply.statusCode === 200) return parseJson(text, `JSON of ${path}`);
    throw new DomainError('CONFLICT', `the engine answered ${reply.statusCode ?? 0} to ${path}`);
  }

  #send(path: string): Promise<IncomingMessage> {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(TIMEOUT_MS)]);
    return new Promise((resolve, reject) => {
      const asking = request({ socketPath: this.#socketPath, path, signal, agent: false }, resolve);
      asking.on('error', (error: NodeJS.ErrnoException) => {
        const message = `no engine answers at the socket: ${error.code ?? error.message}`;
        reject(new DomainError('CONFLICT', message, { cause: error }));
      });
      asking.end();
    });
  }
}

async function textOf(reply: IncomingMessage, path: string): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX)
      throw new DomainError('CONFLICT', `expected at most 256 MiB of ${path}, got more`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
