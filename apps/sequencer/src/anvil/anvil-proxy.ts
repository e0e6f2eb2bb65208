import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Log } from '#platform/observability';
import { listenOn } from '../listen-on.ts';
import type { AnvilClient } from './anvil-client.ts';
import type { RawTransactions } from './raw-transactions.ts';

const IDLE_MS_MAX = 120_000;

/** JSON-RPC over HTTP, passed on to anvil and back as it is. */
export class AnvilProxy {
  readonly #client: AnvilClient;
  readonly #raws: RawTransactions;
  readonly #log: Log;
  readonly #server: Server;

  constructor(client: AnvilClient, raws: RawTransactions, log: Log) {
    this.#client = client;
    this.#raws = raws;
    this.#log = log;
    this.#server = createServer({ keepAliveTimeout: IDLE_MS_MAX }, (request, response) => {
      this.#pass(request, response).catch((error: unknown) => {
        this.#log.warn({ event: 'sequencer.not_passed', err: error }, 'could not pass a request to anvil');
        response.destroy();
      });
    });
  }

  /** Gives the port. */
  listen(port: number, host: string): Promise<number> {
    return listenOn(this.#server, port, host);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      response.writeHead(405, { allow: 'POST' }).end();
      return;
    }
    const body = await buffer(request);
    this.#raws.remember(body);
    const reply = await this.#client.forward(body);
    response.writeHead(reply.status, {
      'content-type': 'application/json',
      'content-length': reply.body.length,
    });
    response.end(reply.body);
  }
}
