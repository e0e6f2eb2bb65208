import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterNextRead } from '#platform/foundation';
import type { ListenerConfig, ListenerTls } from '../config/proxy-config.ts';
import { Deadline, type Expirable, type TimeoutList } from './timeout-list.ts';

export interface TlsTerminatorParts {
  readonly config: ListenerConfig;
  readonly tls: ListenerTls;
  /** Limit of a handshake. Node's own only reports it, and leaves the connection open. */
  readonly handshakeTime: TimeoutList;
  /** Undefined: generated here. */
  readonly ticketKeys: Buffer | undefined;
  /** What a client that speaks without TLS is told; it may be empty. */
  readonly plainAnswer: () => string;
  /** `raw` is the socket below, for operations that need it. */
  readonly onSecure: (socket: TLSSocket, raw: Socket) => void;
  /**
   * The handshake failed: no TLS, no common version or cipher, a time-out, or a disconnect; the socket is
   * closed.
   */
  readonly onFault: (fault: Error, peer: string | undefined) => void;
}

class Handshake implements Expirable {
  /** The socket below TLS. */
  readonly raw: Socket;
  readonly deadline = new Deadline(this);
  fault: Error | undefined;
  #isSecure = false;

  constructor(raw: Socket) {
    this.raw = raw;
  }

  get isSecure(): boolean {
    return this.#isSecure;
  }

  secured(): void {
    this.#isSecure = true;
    this.deadline.stop();
  }

  expired(): void {
    afterNextRead(() => {
      if (this.#isSecure) return;
      this.fault ??= new HandshakeTimeout();
      this.raw.destroy();
    });
  }
}

class HandshakeTimeout extends Error {
  readonly code = 'ETIMEDOUT';

  constructor() {
    super('the TLS handshake was not completed in time');
  }
}

class ClientDisconnected extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('closed before the TLS handshake completed');
  }
}

/** Wraps accepted sockets into TLS. It does not listen itself. */
export class TlsTerminator {
  readonly #server: Server;
  /** Handshakes by peer, until the peer's socket is closed. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #onFault: (fault: Error, peer: string | undefined) => void;
  #time: TimeoutList;

  constructor(parts: TlsTerminatorParts) {
    const { config, tls, handshakeTime, ticketKeys, plainAnswer, onSecure, onFault } = parts;
    this.#time = handshakeTime;
    this.#onFault = onFault;
    this.#server = createServer({
      cert: tls.certFile.text,
      key: tls.keyFile.secret.reveal(),
      minVersion: tls.minVersion,
      ciphers: tls.ciphers,
      ...(ticketKeys === undefined ? {} : { ticketKeys }),
      // A client that supports HTTP/2 only fails here; the protocol inside a TCP stream is unknown.
      ...(config.protocol === 'http' ? { ALPNProtocols: ['http/1.1'] } : {}),
    });
    this.#server.on('tlsClientError', (fault, socket) => {
      const handshake = this.#handshakes.get(peerOf(socket));
      if (handshake === undefined) return;
      handshake.fault = fault;
      // The session is closed after this event; what was written before is still sent.
      if (isPlain(fault)) handshake.raw.write(plainAnswer());
    });
    this.#server.on('secureConnection', (socket) => {
      const handshake = this.#handshakes.get(peerOf(socket));
      if (handshake === undefined) {
        socket.destroy();
        return;
      }
      handshake.secured();
      onSecure(socket, handshake.raw);
    });
  }

  /** A peer that has ended a TLS session reads no more: there are no half-closed sessions. */
  terminate(socket: Socket): void {
    socket.allowHalfOpen = false;
    const peer = peerOf(socket);
    const { remoteAddress } = socket;
    const handshake = new Handshake(socket);
    this.#handshakes.set(peer, handshake);
    handshake.deadline.start(this.#time);
    socket.once('close', () => {
      handshake.deadline.stop();
      if (this.#handshakes.get(peer) === handshake) this.#handshakes.delete(peer);
      // The closed socket no longer has the peer's address, so it was saved before.
      if (!handshake.isSecure) this.#onFault(handshake.fault ?? new ClientDisconnected(), remoteAddress);
    });
    this.#server.emit('connection', socket);
  }

  /** The limit of handshakes from now on, also of those in progress. */
  limit(time: TimeoutList): void {
    this.#time = time;
    for (const { isSecure, deadline } of this.#handshakes.values()) if (!isSecure) deadline.start(time);
  }
}

/** OpenSSL's codes for input that is no TLS; it recognizes some methods of HTTP. */
const PLAIN_CODES: readonly unknown[] = [
  'ERR_SSL_HTTP_REQUEST',
  'ERR_SSL_HTTPS_PROXY_REQUEST',
  'ERR_SSL_WRONG_VERSION_NUMBER',
];

function isPlain(fault: Error): boolean {
  return 'code' in fault && PLAIN_CODES.includes(fault.code);
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
