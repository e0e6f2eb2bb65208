import type { BeforeApplicationShutdown } from '@nestjs/common';
import { once } from 'node:events';
import {
  type AddressInfo,
  createServer as createPlainServer,
  isIPv6,
  type Server,
  type Socket,
} from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { DatabaseTransactions } from '#graph/cypher';
import type { NodeAddresses } from '#graph/engine';
import type { AuditTrail } from '#platform/audit';
import type { Admission } from '#platform/auth';
import { DomainError, errorCodeOf, LISTEN_BACKLOG, VERSION } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { type ServerTls, tlsOptions } from '#platform/tls';
import { Routing } from '../session/routing.ts';
import { BoltConnection } from './bolt-connection.ts';
import type { BoltLimits } from './bolt-limits.ts';
import type { BoltMetrics } from './bolt-metrics.ts';
import { HeldBytes } from './held-bytes.ts';

export interface BoltListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** Undefined: plain text. */
  readonly tls: ServerTls | undefined;
  /** The address under which clients find this server; undefined: the one that they have used. */
  readonly advertised: string | undefined;
}

export interface BoltServerOptions {
  readonly listen: BoltListenOptions;
  readonly transactions: DatabaseTransactions;
  readonly nodes: NodeAddresses;
  readonly admission: Admission;
  /** Takes the event of each refusal. */
  readonly audit?: Pick<AuditTrail, 'refusal'> | undefined;
  readonly limits: BoltLimits;
  readonly metrics: BoltMetrics;
  readonly log: Log;
  /** Grace period for open statements and transactions when the server closes. */
  readonly closeGraceMs: number;
}

/** Drivers read the version of the database from it. */
const SERVER_AGENT = `Neo4j/5.26.0-plexus-${VERSION}`;

/** Listens for Bolt. Throws STORE_UNAVAILABLE if the address cannot be bound. */
export class BoltServer implements BeforeApplicationShutdown {
  readonly #parts: BoltServerOptions;
  readonly #server: Server;
  readonly #metrics: BoltMetrics;
  readonly #routing: Routing;
  readonly #connections = new Set<BoltConnection>();
  readonly #held: HeldBytes;
  #count = 0;
  #draining: Promise<void> | undefined;

  constructor(parts: BoltServerOptions) {
    this.#parts = parts;
    this.#metrics = parts.metrics;
    const { nodes, listen } = parts;
    this.#routing = new Routing({ advertised: listen.advertised, bound: () => this.address, nodes });
    this.#held = new HeldBytes(parts.limits.heldBytesMax);
    this.#server = this.#create();
  }

  /** Number of open connections. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Undefined before it listens. */
  get boundPort(): number | undefined {
    const address = this.#server.address() as AddressInfo | null;
    return address?.port;
  }

  /** Host and port. */
  get address(): string {
    const { host } = this.#parts.listen;
    return `${isIPv6(host) ? `[${host}]` : host}:${this.boundPort ?? this.#parts.listen.port}`;
  }

  async listen(): Promise<void> {
    const { host, port } = this.#parts.listen;
    try {
      this.#server.listen({ host, port, backlog: LISTEN_BACKLOG });
      await once(this.#server, 'listening');
      this.#routing.open();
    } catch (error) {
      const reason = errorCodeOf(error) ?? String(error);
      const message = `cannot listen on ${this.address} for Bolt: ${reason}`;
      throw new DomainError('STORE_UNAVAILABLE', message, { cause: error });
    }
  }

  /** HTTP closes concurrently. */
  beforeApplicationShutdown(): void {
    void this.drain();
  }

  /** Accepts no new connections; resolves when what is open has ended or the grace period is over. */
  drain(): Promise<void> {
    this.#draining ??= this.#drained();
    return this.#draining;
  }

  async #drained(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    const withdrawn = this.#routing.close();
    for (const connection of this.#connections) connection.drain();
    const cutOff = setTimeout(() => {
      for (const connection of this.#connections) connection.destroy();
    }, this.#parts.closeGraceMs);
    await Promise.all([closed, withdrawn]);
    clearTimeout(cutOff);
  }

  #create(): Server {
    const { tls } = this.#parts.listen;
    const accept = (socket: Socket): void => this.#accept(socket);
    if (tls === undefined) return createPlainServer({ noDelay: true }, accept);
    const server = createTlsServer(tlsOptions(tls), accept);
    tls.follow?.(server);
    server.on('tlsClientError', (_error, socket) => {
      this.#metrics.refused('tls');
      // Node reports a time-out, and leaves the connection open.
      socket.destroy();
    });
    return server;
  }

  #accept(socket: Socket): void {
    const { transactions, admission, audit, limits, log } = this.#parts;
    if (this.#connections.size >= limits.connectionsMax) {
      this.#metrics.refused('limit');
      socket.on('error', () => undefined).destroy();
      return;
    }
    this.#metrics.connected();
    const connection = new BoltConnection({
      id: `bolt-${++this.#count}`,
      socket,
      session: {
        transactions,
        routing: this.#routing,
        admission,
        serverAgent: SERVER_AGENT,
      },
      limits,
      held: this.#held,
      audit,
      metrics: this.#metrics,
      log,
    });
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}
