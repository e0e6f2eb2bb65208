/**
 * Hot path: JSON-RPC over HTTP on plain node:http. Each transaction of a load test passes through here, so it
 * uses no framework, one read and one write per request, and builds responses as text.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeAll, listenOn } from '../listen-on.ts';
import { parseBody, type RpcCall, type RpcEntry } from './rpc-call.ts';
import { RPC_CODE, RpcFault } from './rpc-fault.ts';

/** A result as JSON text. */
export type JsonText = string;

export interface RpcHandler {
  /**
   * Resolves with the result; rejects with an RpcFault. `socket` belongs to the caller, and is destroyed when
   * the caller disconnects.
   */
  call(call: RpcCall, socket: Socket): JsonText | Promise<JsonText>;
  /** Called before each request with a single call: a fault that replaces the response. */
  mishapOf?(call: RpcCall): Mishap | undefined;
}

/** Injected faults of a request. */
export type Mishap = 'rate_limited' | 'hangs' | 'reset';

const BODY_BYTES_MAX = 5 * 2 ** 20;
const IDLE_MS_MAX = 120_000;

export class RpcServer {
  readonly #handler: RpcHandler;
  readonly #server: Server;
  #failed: (error: unknown) => void = () => undefined;

  /** Rejects if a call failed for a reason other than its request. */
  readonly failure: Promise<never>;

  constructor(handler: RpcHandler) {
    this.#handler = handler;
    this.failure = new Promise<never>((_, reject) => (this.#failed = reject));
    this.failure.catch(() => undefined);
    this.#server = createServer({ keepAliveTimeout: IDLE_MS_MAX }, (request, response) => {
      this.#receive(request, response);
    });
  }

  /** Returns the port. */
  listen(port: number, host: string): Promise<number> {
    return listenOn(this.#server, port, host);
  }

  close(): Promise<void> {
    return closeAll(this.#server);
  }

  #receive(request: IncomingMessage, response: ServerResponse): void {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= BODY_BYTES_MAX) chunks.push(chunk);
    });
    request.on('end', () => {
      if (length > BODY_BYTES_MAX) response.writeHead(413).end();
      else this.#take(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), response);
    });
    // A disconnected caller gets no response.
    request.on('error', () => response.destroy());
  }

  #take(body: Buffer, response: ServerResponse): void {
    const parsed = parseBody(body.toString());
    const { socket } = response.req;
    const answer =
      'single' in parsed
        ? this.#single(parsed.single, response)
        : this.#batch(parsed.batch, socket).then((text) => send(response, text));
    answer.catch((error: unknown) => {
      response.destroy();
      this.#failed(error);
    });
  }

  async #single(entry: RpcEntry, response: ServerResponse): Promise<void> {
    const mishap = 'method' in entry ? this.#handler.mishapOf?.(entry) : undefined;
    if (mishap !== undefined) suffer(mishap, entry, response);
    else send(response, await this.#answer(entry, response.req.socket));
  }

  async #batch(entries: readonly RpcEntry[], socket: Socket): Promise<string> {
    const answers: string[] = [];
    for (const entry of entries) {
      const answer = await this.#answer(entry, socket);
      if (answer !== '') answers.push(answer);
    }
    return answers.length === 0 ? '' : `[${answers.join(',')}]`;
  }

  /** Empty for a notification. */
  async #answer(entry: RpcEntry, socket: Socket): Promise<string> {
    if ('fault' in entry) return faultText(entry.id, entry.fault);
    try {
      const result = await this.#handler.call(entry, socket);
      return entry.id === undefined ? '' : `{"jsonrpc":"2.0","id":${entry.id},"result":${result}}`;
    } catch (error) {
      if (!(error instanceof RpcFault)) throw error;
      return entry.id === undefined ? '' : faultText(entry.id, error);
    }
  }
}

function suffer(mishap: Mishap, { id = 'null' }: RpcEntry, response: ServerResponse): void {
  if (mishap === 'reset') response.req.socket.resetAndDestroy();
  if (mishap !== 'rate_limited') return;
  response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' });
  response.end(faultText(id, new RpcFault(RPC_CODE.limitExceeded, 'request rate limited')));
}

function faultText(id: string, { code, message, data }: RpcFault): string {
  const error = JSON.stringify({ code, message, data });
  return `{"jsonrpc":"2.0","id":${id},"error":${error}}`;
}

function send(response: ServerResponse, text: string): void {
  if (response.destroyed) return;
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}
