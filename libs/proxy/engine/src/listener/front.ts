import type { Socket } from 'node:net';
import type { LineLog } from '#platform/observability';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { failureCodeOf } from '../source/upstream-failure.ts';
import { AccessLog } from './access-log.ts';
import type { ListenerCounters } from './listener-counters.ts';
import { plainAddress } from './peer.ts';
import { FIRST_BYTES_MS, type Timeouts } from './timeouts.ts';
import { TlsTerminator } from './tls-terminator.ts';

/** A configured listener, its counters, and the output of its access log. */
export interface ListenerOf {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  /** Undefined for no log. */
  readonly lines: LineLog | undefined;
  /** TLS ticket keys, when several processes share them. */
  readonly ticketKeys?: Buffer | undefined;
}

/** Why a connection was not accepted. */
export type RefusedFor = 'max_connections' | 'descriptors';

/** The connections and requests open at a cut. */
export interface Cut {
  readonly connections: number;
  readonly requests: number;
}

/**
 * Serves accepted connections: a listener under one configuration. A reload that changes the listener puts
 * another front behind the same bound address; the old one serves its connections to their end.
 */
export abstract class Front {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  readonly timeouts: Timeouts;
  /** Undefined when it is disabled. */
  readonly accessLog: AccessLog | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #terminator: TlsTerminator | undefined;
  #onEmpty: (() => void)[] = [];
  #isRetiring = false;
  #isCut = false;

  constructor({ config, counters, lines, ticketKeys }: ListenerOf, timeouts: Timeouts) {
    this.config = config;
    this.counters = counters;
    this.timeouts = timeouts;
    const isLogged = config.accessLog && lines !== undefined;
    this.accessLog = isLogged ? new AccessLog(lines, config.name) : undefined;
    if (config.tls === undefined) return;
    this.#terminator = new TlsTerminator({
      config,
      tls: config.tls,
      handshakeTime: timeouts.of(config.headerTimeoutMs),
      ticketKeys,
      plainAnswer: () => this.plainAnswer(),
      onSecure: (socket, raw) => this.begin(socket, raw),
      onFault: (fault, peer) => this.#noteTlsFault(fault, peer),
    });
  }

  /** Whether its connections should end as soon as possible without loss. */
  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  /** Whether all its connections were closed by {@link cut}. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Takes an accepted connection. It is counted until it is closed. */
  take(socket: Socket): void {
    this.counters.countAccepted();
    this.#sockets.add(socket);
    // An error closes the socket, and only the close event matters.
    socket.on('error', ignore);
    socket.once('close', () => this.#leave(socket));
    if (this.#terminator === undefined) this.begin(socket, socket);
    else this.#terminator.terminate(socket);
  }

  /** Counts a connection that was not accepted. */
  refuse(peer: string | undefined, why: RefusedFor): void {
    this.counters.cxRefused += 1;
    if (why === 'descriptors') this.counters.cxRefusedForDescriptors += 1;
    this.accessLog?.refusedConnection(plainAddress(peer), why);
  }

  /** Makes each response from now on the last of its connection. */
  retire(): void {
    this.#isRetiring = true;
  }

  /** Closes the connections without a request in progress; those in a TLS handshake a little later. */
  closeIdle(): void {
    this.#terminator?.limit(this.timeouts.of(FIRST_BYTES_MS));
  }

  /** Closes all connections now. */
  cut(): Cut {
    this.#isCut = true;
    const cut = { connections: this.#sockets.size, requests: this.requestsActive };
    for (const socket of this.#sockets) socket.destroy();
    return cut;
  }

  /** Resolves when no connection is open. */
  async whenEmpty(): Promise<void> {
    if (this.#sockets.size === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  /**
   * Bytes of its open connections. Unsent data is not counted: it may never be sent, and the counter must not
   * decrease.
   */
  bytesNow(): { readonly received: number; readonly sent: number } {
    let received = 0;
    let sent = 0;
    for (const socket of this.#sockets) {
      received += socket.bytesRead;
      sent += socket.bytesWritten - socket.writableLength;
    }
    return { received, sent };
  }

  /** Requests without a complete response. */
  protected abstract get requestsActive(): number;

  /**
   * Starts a connection, after the TLS handshake if there is one. It is paused: nothing of it is read. `raw`
   * is the socket below TLS.
   */
  protected abstract begin(socket: Socket, raw: Socket): void;

  /** The answer to a client that speaks without TLS, where there is one. */
  protected plainAnswer(): string {
    return '';
  }

  #noteTlsFault(fault: Error, peer: string | undefined): void {
    this.counters.tlsErrors += 1;
    this.accessLog?.refusedConnection(plainAddress(peer), 'tls', failureCodeOf(fault));
  }

  #leave(socket: Socket): void {
    this.#sockets.delete(socket);
    this.counters.countClosed();
    this.counters.bytesReceived += socket.bytesRead;
    this.counters.bytesSent += socket.bytesWritten;
    if (this.#sockets.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }
}

function ignore(): void {
  // Intended.
}
