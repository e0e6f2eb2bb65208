import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ListenerConfig, ListenerTls } from '../config/proxy-config.ts';

export interface TlsTerminatorParts {
  readonly config: ListenerConfig;
  readonly tls: ListenerTls;
  /** Undefined: generated here. */
  readonly ticketKeys: Buffer | undefined;
  /** `raw` is the socket below, for operations that need it. */
  readonly onSecure: (socket: TLSSocket, raw: Socket) => void;
  /**
   * The handshake failed: no TLS, no common version or cipher, a time-out, or a disconnect; the socket is
   * closed.
   */
  readonly onFault: (fault: Error, peer: string | undefined) => void;
}

interface Handshake {
  /** The socket below TLS. */
  readonly raw: Socket;
  isSecure: boolean;
  fault: Error | undefined;
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
  /** By the peer, until its socket is closed. */
  readonly #handshakes = new Map<string, Handshake>();
  readonly #onFault: (fault: Error, peer: string | undefined) => void;

  constructor({ config, tls, ticketKeys, onSecure, onFault }: TlsTerminatorParts) {
    this.#onFault = onFault;
    this.#server = createServer({
      cert: tls.certFile.text,
      key: tls.keyFile.secret.reveal(),
      minVersion: tls.minVersion,
      ciphers: tls.ciphers,
      handshakeTimeout: config.headerTimeoutMs,
      ...(ticketKeys === undefined ? {} : { ticketKeys }),
      // A client that supports HTTP/2 only fails here; the protocol inside a TCP stream is unknown.
      ...(config.protocol === 'http' ? { ALPNProtocols: ['http/1.1'] } : {}),
    });
    this.#server.on('tlsClientError', (fault, socket) => {
      const handshake = this.#handshakes.get(peerOf(socket));
      if (handshake !== undefined) handshake.fault = fault;
    });
    this.#server.on('secureConnection', (socket) => {
      const handshake = this.#handshakes.get(peerOf(socket));
      if (handshake === undefined) {
        socket.destroy();
        return;
      }
      handshake.isSecure = true;
      onSecure(socket, handshake.raw);
    });
  }

  /** A peer that has ended a TLS session reads no more: there are no half-closed sessions. */
  terminate(socket: Socket): void {
    socket.allowHalfOpen = false;
    const peer = peerOf(socket);
    const { remoteAddress } = socket;
    const handshake: Handshake = { raw: socket, isSecure: false, fault: undefined };
    this.#handshakes.set(peer, handshake);
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === handshake) this.#handshakes.delete(peer);
      // The closed socket no longer has the peer's address, so it was saved before.
      if (!handshake.isSecure) this.#onFault(handshake.fault ?? new ClientDisconnected(), remoteAddress);
    });
    this.#server.emit('connection', socket);
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
