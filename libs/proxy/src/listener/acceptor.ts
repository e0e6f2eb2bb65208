import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { ListenerConfig } from '../config/proxy-config.ts';
import type { Front } from './front.ts';

const TCP_KEEP_ALIVE_MS = 60_000;
const BACKLOG = 511;

/**
 * A bound address. Who takes its connections can change while it stays bound; as long as there is nobody,
 * they are accepted and wait, unread.
 */
export class Acceptor {
  readonly #server: Server;
  readonly #waiting: Socket[] = [];
  #front: Front | undefined;
  #accepted = 0;

  /** Rejects with the system's error. */
  static async bind(config: ListenerConfig): Promise<Acceptor> {
    const acceptor = new Acceptor(config.maxConnections);
    const { host, port } = config.address;
    acceptor.#server.listen({ host, port, backlog: BACKLOG });
    await once(acceptor.#server, 'listening');
    // The system could not accept: no descriptor is free.
    acceptor.#server.on('error', () => acceptor.#refuse());
    return acceptor;
  }

  private constructor(maxConnections: number) {
    this.#server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      pauseOnConnect: true,
    });
    this.#server.maxConnections = maxConnections;
    this.#server.on('connection', (socket) => this.#accept(socket));
    this.#server.on('drop', () => this.#refuse());
  }

  get front(): Front | undefined {
    return this.#front;
  }

  /** `host:port` as it is bound. */
  get address(): string {
    const bound = this.#server.address();
    if (bound === null || typeof bound === 'string') return '';
    return bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`;
  }

  /** Connections that wait, and those that come from now on, go to `front`. */
  handTo(front: Front): void {
    this.#front = front;
    this.#server.maxConnections = front.config.maxConnections;
    for (const socket of this.#waiting.splice(0)) this.#accept(socket);
  }

  /**
   * No more connections; those that are open stay. Those that wait are closed. What the system has taken in
   * before is still accepted: closing would reset it. So it ends when a turn has brought none, or as many
   * turns have gone by as a full queue takes.
   */
  async close(): Promise<void> {
    for (let turn = 0; turn < BACKLOG; turn++) {
      const before = this.#accepted;
      await nextTurn();
      if (this.#accepted === before) break;
    }
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#accepted += 1;
    if (this.#front === undefined) this.#waiting.push(socket);
    else this.#front.take(socket);
  }

  #refuse(): void {
    if (this.#front !== undefined) this.#front.counters.cxRefused += 1;
  }
}

/** With a look at the network in between. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
}
