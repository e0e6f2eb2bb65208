import type { Socket } from 'node:net';
import type { LineLog } from '#platform/observability';
import type { ListenerConfig } from '../config/proxy-config.ts';
import { failureCodeOf } from '../source/upstream-failure.ts';
import { AccessLog } from './access-log.ts';
import type { ListenerCounters } from './listener-counters.ts';
import { plainAddress } from './peer.ts';
import { TlsTerminator } from './tls-terminator.ts';

/** A listener of a configuration, what it has counted, and where its access log goes. */
export interface ListenerOf {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  /** Undefined: nowhere. */
  readonly lines: LineLog | undefined;
  /** Of TLS, where several processes share them. */
  readonly ticketKeys?: Buffer | undefined;
}

/** Why a connection was not accepted. */
export type RefusedFor = 'max_connections' | 'descriptors';

/** What was open when it was cut. */
export interface Cut {
  readonly connections: number;
  readonly requests: number;
}

/**
 * What an accepted connection meets: a listener as one configuration had it. A reload that changes the
 * listener puts another front behind the same bound address; the old one sees its connections out.
 */
export abstract class Front {
  readonly config: ListenerConfig;
  readonly counters: ListenerCounters;
  /** Undefined where it is switched off. */
  readonly accessLog: AccessLog | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #terminator: TlsTerminator | undefined;
  #onEmpty: (() => void)[] = [];
  #isRetiring = false;

  constructor({ config, counters, lines, ticketKeys }: ListenerOf) {
    this.config = config;
    this.counters = counters;
    const isLogged = config.accessLog && lines !== undefined;
    this.accessLog = isLogged ? new AccessLog(lines, config.name) : undefined;
    if (config.tls === undefined) return;
    this.#terminator = new TlsTerminator({
      config,
      tls: config.tls,
      ticketKeys,
      onSecure: (socket, raw) => this.begin(socket, raw),
      onFault: (fault, peer) => this.#noteTlsFault(fault, peer),
    });
  }

  /** Whether its connections are to end as soon as they can without loss. */
  get isRetiring(): boolean {
    return this.#isRetiring;
  }

  /** A connection that was accepted. It is counted until it is closed, whatever becomes of it. */
  take(socket: Socket): void {
    this.counters.countAccepted();
    this.#sockets.add(socket);
    // What goes wrong with a socket closes it, and the close is what counts.
    socket.on('error', ignore);
    socket.once('close', () => this.#leave(socket));
    if (this.#terminator === undefined) this.begin(socket, socket);
    else this.#terminator.terminate(socket);
  }

  /** A connection that was not accepted. */
  refuse(peer: string | undefined, why: RefusedFor): void {
    this.counters.cxRefused += 1;
    if (why === 'descriptors') this.counters.cxRefusedForDescriptors += 1;
    this.accessLog?.refusedConnection(plainAddress(peer), why);
  }

  /** From now on, each answer is the last of its connection. */
  retire(): void {
    this.#isRetiring = true;
  }

  /** Closes the connections on which nothing is under way. */
  abstract closeIdle(): void;

  /** Closes all, now. */
  cut(): Cut {
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
   * Of all its connections, the closed ones among them not. What still waits to be sent is not sent: it may
   * never be, and what is counted must not fall.
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

  /** Requests that are not answered in whole. */
  protected abstract get requestsActive(): number;

  /**
   * The connection can be spoken on, after TLS where there is TLS. It is paused: nothing of it is read.
   * `raw` is the socket itself, below TLS.
   */
  protected abstract begin(socket: Socket, raw: Socket): void;

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
  // On purpose.
}
