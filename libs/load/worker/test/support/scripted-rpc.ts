import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface RpcRequest {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** Answers one request, or a batch of them. */
export type RpcScript = (request: RpcRequest, reply: ServerResponse, all: readonly RpcRequest[]) => void;

/** A real HTTP server with scripted answers. */
export class ScriptedRpc {
  script: RpcScript;
  url = '';
  readonly authorizations: (string | undefined)[] = [];
  connectionCount = 0;
  readonly #server: Server;

  static async start(script: RpcScript): Promise<ScriptedRpc> {
    const rpc = new ScriptedRpc(script);
    rpc.#server.listen(0, '127.0.0.1');
    await once(rpc.#server, 'listening');
    rpc.url = `http://127.0.0.1:${(rpc.#server.address() as AddressInfo).port}`;
    return rpc;
  }

  private constructor(script: RpcScript) {
    this.script = script;
    this.#server = createServer((request, reply) => void this.#answer(request, reply));
    this.#server.on('connection', () => this.connectionCount++);
  }

  async stop(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    this.authorizations.push(request.headers.authorization);
    const body = JSON.parse(await text(request)) as RpcRequest | readonly RpcRequest[];
    const all = [body].flat() as readonly RpcRequest[];
    const [first] = all;
    if (first !== undefined) this.script(first, reply, all);
  }
}

export function result(id: number, value: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result: value });
}

export function failure(id: number, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
