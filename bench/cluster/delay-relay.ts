import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A relay to a local port that delays all bytes, in each direction, like a longer network. */
export class DelayRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(target: number, delayMs: number): Promise<DelayRelay> {
    const relay = new DelayRelay(target, delayMs);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  private constructor(target: number, delayMs: number) {
    this.#server = createServer({ noDelay: true }, (client) => {
      const server = connect({ port: target, host: '127.0.0.1', noDelay: true });
      this.#pass(client, server, delayMs);
      this.#pass(server, client, delayMs);
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Timers of one duration fire in the order in which they were set, so that bytes keep theirs. */
  #pass(from: Socket, to: Socket, delayMs: number): void {
    const later = (work: () => void): void => {
      if (delayMs === 0) work();
      else setTimeout(work, delayMs);
    };
    this.#sockets.add(from);
    from
      .on('data', (bytes) => {
        later(() => to.write(bytes));
      })
      .on('end', () => {
        later(() => to.end());
      })
      .on('error', () => to.destroy())
      .on('close', () => this.#sockets.delete(from));
  }
}
