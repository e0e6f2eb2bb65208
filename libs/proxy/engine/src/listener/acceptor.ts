import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterNextRead, LISTEN_BACKLOG, systemClock } from '#platform/foundation';
import type { ListenerConfig } from '../config/proxy-config.ts';
import type { DescriptorBudget } from './descriptor-budget.ts';
import type { Front, RefusedFor } from './front.ts';

const TCP_KEEP_ALIVE_MS = 60_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * A bound address. The front that receives its connections can change while it stays bound; without a front,
 * connections are accepted and wait, unread.
 */
export class Acceptor {
  readonly #server: Server;
  readonly #budget: DescriptorBudget;
  readonly #waiting: Socket[] = [];
  #front: Front | undefined;
  #accepted = 0;

  /** Binds the address; a shared port is bound by several processes. Rejects with the system's error. */
  static async bind(
    config: ListenerConfig,
    budget: DescriptorBudget,
    sharedPort?: number,
  ): Promise<Acceptor> {
    const acceptor = new Acceptor(config.maxConnections, budget);
    const { host, port } = config.address;
    acceptor.#server.listen({
      host,
      port: sharedPort ?? port,
      reusePort: sharedPort !== undefined,
      backlog: LISTEN_BACKLOG,
    });
    await once(acceptor.#server, 'listening');
    // The accept failed: no descriptor is free.
    acceptor.#server.on('error', () => acceptor.#refuse(undefined, 'descriptors'));
    return acceptor;
  }

  private constructor(maxConnections: number, budget: DescriptorBudget) {
    this.#budget = budget;
    this.#server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: TCP_KEEP_ALIVE_MS,
      pauseOnConnect: true,
    });
    this.#server.maxConnections = maxConnections;
    this.#server.on('connection', (socket) => this.#accept(socket));
    this.#server.on('drop', (peer) => this.#refuse(peer?.remoteAddress, 'max_connections'));
  }

  get front(): Front | undefined {
    return this.#front;
  }

  /** The bound `host:port`. */
  get address(): string {
    const bound = this.#server.address();
    if (bound === null || typeof bound === 'string') return '';
    return bound.family === 'IPv6' ? `[${bound.address}]:${bound.port}` : `${bound.address}:${bound.port}`;
  }

  /** Passes waiting and future connections to `front`. */
  handTo(front: Front): void {
    this.#front = front;
    this.#server.maxConnections = front.config.maxConnections;
    for (const socket of this.#waiting.splice(0)) front.take(socket);
  }

  /**
   * Stops accepting; open connections stay. Waiting connections are closed. Connections in the system's
   * backlog are still accepted, because closing would reset them: it ends when a turn of the event loop has
   * accepted none. The wait is bounded against clients that connect without a pause.
   */
  async close(): Promise<void> {
    const untilMs = systemClock.monotonicMs() + CLOSE_WITHIN_MS;
    for (let before = -1; before !== this.#accepted && systemClock.monotonicMs() < untilMs;) {
      before = this.#accepted;
      await new Promise<void>(afterNextRead);
    }
    this.#server.close();
    for (const socket of this.#waiting.splice(0)) socket.destroy();
  }

  #accept(socket: Socket): void {
    this.#accepted += 1;
    if (!this.#budget.take()) {
      this.#refuse(socket.remoteAddress, 'descriptors');
      socket.destroy();
      return;
    }
    if (this.#front === undefined) this.#waiting.push(socket);
    else this.#front.take(socket);
  }

  #refuse(peer: string | undefined, why: RefusedFor): void {
    this.#front?.refuse(peer, why);
  }
}
