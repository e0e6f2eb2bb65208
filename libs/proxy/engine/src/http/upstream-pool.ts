/**
 * Connections to one target, kept between requests. Hot path: one is taken and given back for each request.
 *
 * A connection is an undici client that has at most one socket and carries one request at a time. undici
 * reads the answer. What is sent is our own: the head as the client spelt it, at once, and the body behind
 * it. (undici would move Host to the front, and keep a head back until its body has begun.) The one that was
 * used last is taken first, so that those beyond need grow idle and are closed. How many there may be is the
 * cluster's breaker to say.
 */
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Timers } from '../cluster/target/cluster-surroundings.ts';
import { type Target, upstreamTlsOptions } from '../cluster/target/target.ts';
import type { ClusterConfig } from '../config/proxy-config.ts';
import { dial, type DialOwner } from '../tcp/dial.ts';
import { InterimFilter } from './interim-filter.ts';
import type { RequestBody } from './request-body.ts';

/** Idle connections are closed after this, unless the upstream says how long it keeps them. */
const IDLE_MS = 4_000;
const HEADER_BYTES_MAX = 65_536;

const WEBSOCKET = 'websocket';
const NO_HEADERS: string[] = [];

/** What is sent of a request. */
export interface Outgoing {
  readonly method: string;
  /** With the blank line. */
  readonly head: string;
  readonly body: RequestBody | undefined;
  /** To WebSocket. */
  readonly isUpgrade: boolean;
}

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

  /** How many requests its socket has carried to their end. */
  #carried = 0;
  #outgoing: Outgoing | undefined;

  /** Whether its socket was open before the request that is under way. */
  get isKept(): boolean {
    return this.#carried > 0;
  }

  /** undici writes when it has a socket; what it writes is left out, and `outgoing` sent instead. */
  send(outgoing: Outgoing, handler: Dispatcher.DispatchHandler): void {
    this.#outgoing = outgoing;
    const { method, isUpgrade } = outgoing;
    const upgrade = isUpgrade ? WEBSOCKET : null;
    this.client.dispatch({ method, path: '/', headers: NO_HEADERS, body: null, upgrade }, handler);
  }

  /** A new socket, before undici has it. */
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

  /** Its request has ended, and the socket, if it is still there, can carry another. */
  giveBack(): void {
    this.#carried += 1;
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

  /** Idle connections are closed now, the others when they come back. */
  close(): void {
    this.#isClosed = true;
    this.#target.counters.connectionsIdle -= this.#idle.length;
    for (const connection of this.#idle.splice(0)) connection.drop();
  }

  /** With a socket that is not open yet. */
  make(): UpstreamConnection {
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
