/**
 * Connections to one target, kept between requests. Hot path: one is taken and given back for each request.
 *
 * A connection is an undici client that has at most one socket and carries one request at a time. The one
 * that was used last is taken first, so that those beyond need grow idle and are closed. How many there may
 * be is the cluster's breaker to say.
 */
import type { TLSSocket } from 'node:tls';
import { type buildConnector, Client } from 'undici';
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { Target } from '../cluster/target.ts';
import type { Timers } from '../cluster/timers.ts';
import { upstreamTlsOptions } from '../cluster/upstream-tls-options.ts';
import { dial } from '../tcp/dial.ts';
import { readThrough } from '../tcp/read-buffer.ts';

/** Idle connections are closed after this, unless the upstream says how long it keeps them. */
const IDLE_MS = 4_000;
const HEADER_BYTES_MAX = 65_536;

export class UpstreamConnection {
  readonly client: Client;
  readonly #pool: UpstreamPool;
  isIdle = false;
  /** What its socket failed with; undici takes that for the end of an answer without a length. */
  fault: Error | undefined;

  constructor(pool: UpstreamPool, client: Client) {
    this.#pool = pool;
    this.client = client;
  }

  /** Its request has ended, and the socket, if it is still there, can carry another. */
  giveBack(): void {
    this.#pool.giveBack(this);
  }

  /** Whatever is under way on it ends now. */
  drop(): void {
    this.client.destroy(null, ignore);
  }
}

export class UpstreamPool {
  readonly #target: Target;
  readonly #config: ClusterConfig;
  readonly #timers: Timers;
  readonly #idle: UpstreamConnection[] = [];
  #session: Buffer | undefined;
  #isClosed = false;

  constructor(target: Target, config: ClusterConfig, timers: Timers) {
    this.#target = target;
    this.#config = config;
    this.#timers = timers;
  }

  take(): UpstreamConnection {
    const connection = this.#idle.pop() ?? this.#make();
    connection.isIdle = false;
    return connection;
  }

  giveBack(connection: UpstreamConnection): void {
    if (this.#isClosed) {
      connection.drop();
      return;
    }
    connection.isIdle = true;
    this.#idle.push(connection);
  }

  /** Idle connections are closed now, the others when they come back. */
  close(): void {
    this.#isClosed = true;
    for (const connection of this.#idle.splice(0)) connection.drop();
  }

  #make(): UpstreamConnection {
    const client: Client = new Client(`http://${this.#target.address}`, {
      connect: (_, callback) => this.#connect(connection, callback),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES_MAX,
      keepAliveTimeout: IDLE_MS,
      // The time of a request is kept where its route is known.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    const connection: UpstreamConnection = new UpstreamConnection(this, client);
    client.on('disconnect', () => this.#forgetIdle(connection));
    return connection;
  }

  #connect(connection: UpstreamConnection, callback: buildConnector.Callback): void {
    const { tls, connectTimeoutMs: timeoutMs } = this.#config;
    const options = tls && {
      ...upstreamTlsOptions(tls, this.#target.endpoint),
      ALPNProtocols: ['http/1.1'],
      ...(this.#session && { session: this.#session }),
    };
    const socket = dial({
      target: this.#target,
      timers: this.#timers,
      timeoutMs,
      tls: options,
      onread: readThrough((chunk) => socket.push(chunk)),
      onDone: (fault) => {
        connection.fault = fault;
        socket.once('error', (error) => (connection.fault = error));
        if (fault === undefined) callback(null, socket);
        else callback(fault, null);
      },
    });
    if (tls !== undefined) (socket as TLSSocket).on('session', (session) => (this.#session = session));
  }

  /** The upstream has closed it. While it is in use, it connects again when it has to. */
  #forgetIdle(connection: UpstreamConnection): void {
    if (!connection.isIdle) return;
    const index = this.#idle.indexOf(connection);
    if (index !== -1) this.#idle.splice(index, 1);
    connection.drop();
  }
}

function ignore(): void {
  // On purpose: a connection that is dropped has nothing more to say.
}
