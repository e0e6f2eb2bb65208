/**
 * Connections to one target, kept between requests. Hot path: one is taken and returned for each request.
 *
 * A connection is an undici client with at most one socket and one request at a time. undici parses the
 * response. The request is written here: the head in the client's spelling, at once, and the body behind it.
 * (undici would move Host to the front, and delay a head until its body has begun.) The most recently used
 * connection is taken first, so that superfluous ones become idle and are closed. The cluster's circuit
 * breaker limits their number.
 */
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Timers } from '../cluster/target/cluster-context.ts';
import { type Target, upstreamTlsOptions } from '../cluster/target/target.ts';
import type { ClusterConfig } from '../config/proxy-config.ts';
import { dial, type DialOwner } from '../tcp/dial.ts';
import { InterimFilter } from './interim-filter.ts';
import type { RequestBody } from './request-body.ts';

/** Idle connections are closed after this time, unless the upstream announces its own. */
const IDLE_MS = 4_000;
const HEADER_BYTES_MAX = 65_536;

const WEBSOCKET = 'websocket';
const NO_HEADERS: string[] = [];

/** The request to send. */
export interface Outgoing {
  readonly method: string;
  /** Including the blank line. */
  readonly head: string;
  readonly body: RequestBody | undefined;
  /** Whether the request upgrades to WebSocket. */
  readonly isUpgrade: boolean;
}

export class UpstreamConnection {
  readonly client: Client;
  readonly #pool: UpstreamPool;
  isIdle = false;
  /** The socket's error; undici treats it as the end of a response without a length. */
  fault: Error | undefined;

  constructor(pool: UpstreamPool, client: Client) {
    this.#pool = pool;
    this.client = client;
  }

  /** Number of requests completed on its socket. */
  #carried = 0;
  #outgoing: Outgoing | undefined;

  /** Whether its socket was open before the current request. */
  get isKept(): boolean {
    return this.#carried > 0;
  }

  /** undici writes when it has a socket; its output is discarded, and `outgoing` is sent instead. */
  send(outgoing: Outgoing, handler: Dispatcher.DispatchHandler): void {
    this.#outgoing = outgoing;
    const { method, isUpgrade } = outgoing;
    const upgrade = isUpgrade ? WEBSOCKET : null;
    this.client.dispatch({ method, path: '/', headers: NO_HEADERS, body: null, upgrade }, handler);
  }

  /** Receives a new socket before undici does. */
  adopt(socket: Socket): void {
    this.#carried = 0;
    const filter = new InterimFilter();
    this.#replaceWrite(socket, filter);
    const read = socket.read.bind(socket);
    socket.read = (size?: number): Buffer | null => {
      for (;;) {
        const chunk = read(size) as Buffer | null;
        const passed = chunk && filter.pass(chunk);
        if (filter.fault !== undefined) {
          socket.destroy(filter.fault);
          return null;
        }
        if (passed === null || passed.length > 0) return passed;
      }
    };
  }

  #replaceWrite(socket: Socket, filter: InterimFilter): void {
    const write = socket.write.bind(socket) as (...given: unknown[]) => boolean;
    socket.write = (...given: unknown[]): boolean => {
      const outgoing = this.#outgoing;
      if (outgoing === undefined) return write(...given);
      this.#outgoing = undefined;
      filter.begin(outgoing.isUpgrade);
      if (outgoing.body === undefined) return write(outgoing.head, 'latin1');
      socket.cork();
      const hasRoom = write(outgoing.head, 'latin1');
      outgoing.body.forward(socket);
      socket.uncork();
      return hasRoom;
    };
  }

  /** Its request has ended, and the socket, if still open, can be reused. */
  giveBack(): void {
    this.#carried += 1;
    this.#pool.giveBack(this);
  }

  /** Ends the current request and the connection. */
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
    if (kept === undefined) return this.make();
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

  /** Closes idle connections now, the others when they are returned. */
  close(): void {
    this.#isClosed = true;
    this.#target.counters.connectionsIdle -= this.#idle.length;
    for (const connection of this.#idle.splice(0)) connection.drop();
  }

  /** Creates a connection whose socket is not open yet. */
  make(): UpstreamConnection {
    const client: Client = new Client(`http://${this.#target.address}`, {
      connect: (_, callback) => this.#connect(connection, callback),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES_MAX,
      keepAliveTimeout: IDLE_MS,
      // The exchange has the time-out of its route.
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
    const owner: DialOwner = {
      received: (chunk, socket) => socket.push(chunk),
      sessionOffered: (session) => (this.#session = session),
      connected: (socket) => {
        connection.fault = undefined;
        socket.once('error', (error) => (connection.fault = error));
        connection.adopt(socket);
        callback(null, socket);
      },
      dialFailed: (fault) => {
        connection.fault = fault;
        callback(fault, null);
      },
    };
    dial({ target: this.#target, timers: this.#timers, timeoutMs, tls: options, owner });
  }

  /** The upstream has closed it. A connection in use reconnects on demand. */
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
  // Intended: errors of a dropped connection are ignored.
}
