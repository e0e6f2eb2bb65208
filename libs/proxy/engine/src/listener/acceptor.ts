import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { LISTEN_BACKLOG, systemClock } from '#platform/foundation';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { afterNextRead } from './after-next-read.ts';
import type { DescriptorBudget } from './descriptor-budget.ts';
import type { Front, RefusedFor } from './front.ts';

const TCP_KEEP_ALIVE_MS = 60_000;
const CLOSE_WITHIN_MS = 2_000;

/**
 * A bound address. Who takes its connections can change while it stays bound; as long as there is nobody,
 * they are accepted and wait, unread.
 */
export class Acceptor {
  readonly #server: Server;
  readonly #budget: DescriptorBudget;
  readonly #waiting: Socket[] = [];
  #front: Front | undefined;
  #accepted = 0;

  /** With a shared port, other processes bind the same one. Rejects with the system's error. */
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
    // The system could not accept: no descriptor is free.
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
    for (const socket of this.#waiting.splice(0)) front.take(socket);
  }

  /**
   * No more connections; those that are open stay. Those that wait are closed. What the system has taken in
   * before is still accepted, because closing would reset it: the end comes when a turn of the loop has
   * brought none. Whoever connects without a pause is not waited for longer than a while.
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
