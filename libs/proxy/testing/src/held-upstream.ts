import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service behind a proxy. `/hold…` is answered when the test says so, `/health` as it says. */
export class HeldUpstream {
  readonly address: string;
  isWell = true;
  /** Requests but for `/health`. */
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

  /** Answers all that is held. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }

  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
