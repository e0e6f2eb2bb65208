import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

/** A port of the loopback address on which another program listens. */
export class TakenPort {
  readonly #server: Server;
  /** As flags have it. */
  readonly port: string;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = String(port);
  }

  static async open(): Promise<TakenPort> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('expected an address with a port');
    return new TakenPort(server, address.port);
  }

  close(): void {
    this.#server.close();
  }
}
