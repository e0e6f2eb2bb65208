/**
 * Connections to one target, kept between requests. Hot path: one is taken and given back for each request.
 *
 * A connection is an undici client that has at most one socket and carries one request at a time. The one
 * that was used last is taken first, so that those beyond need grow idle and are closed. How many there may
 * be is the cluster's breaker to say.
 */
import { type buildConnector, Client } from 'undici';
import type { ClusterConfig } from '../config/proxy-config.ts';
import type { Target } from '../cluster/target.ts';
import type { Timers } from '../cluster/timers.ts';
import { upstreamTlsOptions } from '../cluster/upstream-tls-options.ts';
import { dial } from '../tcp/dial.ts';

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
    const kept = this.#idle.pop();
    if (kept === undefined) return this.#make();
    const { counters } = this.#target;
    counters.connectionsIdle -= 1;
    counters.connectionsReused += 1;
    kept.isIdle = false;
    return kept;
  }

  giveBack(connection: UpstreamConnection): void {
    if (this.#isClosed) {
      connection.drop();
      return;
    }
    connection.isIdle = true;
    this.#idle.push(connection);
    this.#target.counters.connectionsIdle += 1;
  }

  /** Idle connections are closed now, the others when they come back. */
  close(): void {
    this.#isClosed = true;
    this.#target.counters.connectionsIdle -= this.#idle.length;
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
    dial({
      target: this.#target,
      timers: this.#timers,
      timeoutMs,
      tls: options,
      onData: (chunk, socket) => socket.push(chunk),
      onSession: (session) => (this.#session = session),
      onConnected: (socket) => {
        connection.fault = undefined;
        socket.once('error', (error) => (connection.fault = error));
        callback(null, socket);
      },
      onFailed: (fault) => {
        connection.fault = fault;
        callback(fault, null);
      },
    });
  }

  /** The upstream has closed it. While it is in use, it connects again when it has to. */
  #forgetIdle(connection: UpstreamConnection): void {
    if (!connection.isIdle) return;
    const index = this.#idle.indexOf(connection);
    if (index !== -1) {
      this.#idle.splice(index, 1);
      this.#target.counters.connectionsIdle -= 1;
    }
    connection.drop();
  }
}

function ignore(): void {
  // On purpose: a connection that is dropped has nothing more to say.
}
