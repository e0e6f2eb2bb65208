/** Reads the API of Docker, which Podman serves as well, over its socket. It asks, and changes nothing. */
import { type IncomingMessage, request } from 'node:http';
import { DomainError } from '#platform/foundation';
import { DocumentValue } from '../document/document-value.ts';
import { parseJson } from '../document/json-text.ts';

/** Of Docker 20.10 and Podman 3. Earlier engines have less, and Docker no longer serves it since 29. */
const VERSION = '1.41';
const TIMEOUT_MS = 60_000;
const ANSWER_BYTES_MAX = 256 * 1_048_576;

export class EngineSocket {
  readonly #socketPath: string;
  readonly #signal: AbortSignal;
  #version: Promise<string> | undefined;

  constructor(socketPath: string, signal: AbortSignal) {
    this.#socketPath = socketPath;
    this.#signal = signal;
  }

  /** Undefined for what the engine does not have any more. */
  async get(path: string): Promise<unknown> {
    this.#version ??= this.#servedVersion();
    return this.#ask(`/v${await this.#version}${path}`, path);
  }

  /** The version of the API that is asked for, or the nearest one that the engine serves. */
  async #servedVersion(): Promise<string> {
    const found = await this.#ask('/version', '/version');
    if (found === undefined) return VERSION;
    const answer = DocumentValue.of(found, '/version');
    const [newest, oldest] = [answer.text('ApiVersion'), answer.text('MinAPIVersion')];
    if (newest !== undefined && isBefore(newest, VERSION)) return newest;
    return oldest !== undefined && isBefore(VERSION, oldest) ? oldest : VERSION;
  }

  async #ask(url: string, path: string): Promise<unknown> {
    const reply = await this.#send(url);
    const text = await textOf(reply, path);
    if (reply.statusCode === 404) return undefined;
    if (reply.statusCode === 200) return parseJson(text, `JSON of ${path}`);
    throw new DomainError(
      'CONFLICT',
      `the engine answered ${reply.statusCode ?? 0} to ${path}${reasonIn(text)}`,
    );
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

/** Of two versions such as `1.9` and `1.41`. */
function isBefore(one: string, other: string): boolean {
  const [major = 0, minor = 0] = one.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = other.split('.').map(Number);
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}

/** `{"message": "…"}`; an engine may answer anything. */
function reasonIn(text: string): string {
  const [, reason] = /"message":\s*"([^"\\]{1,200})/.exec(text) ?? [];
  return reason === undefined ? '' : `: ${reason}`;
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
