import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service behind a proxy. It answers `/hold…` on command of the test, and `/health` with the configured
 * status.
 */
export class HeldUpstream {
  readonly address: string;
  isWell = true;
  /** Requests, without those of `/health`. */
  requests = 0;
  readonly #server: Server;
  readonly #held: (() => void)[] = [];

  static async start(): Promise<HeldUpstream> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new HeldUpstream(server);
  }

  private constructor(server: Server) {
    this.#server = server;
    this.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on('request', (request, response) => {
      if (request.url === '/health') {
        response.writeHead(this.isWell ? 200 : 500).end();
        return;
      }
      this.requests += 1;
      if (request.url?.includes('/hold') === true) this.#held.push(() => response.end('held'));
      else response.end('fine');
    });
  }

  /** Answers all held requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
