import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ListenerConfig, ListenerTls } from '../config/proxy-config.ts';

export interface TlsTerminatorParts {
  readonly config: ListenerConfig;
  readonly tls: ListenerTls;
  /** `raw` is the socket below, for what only it can do. */
  readonly onSecure: (socket: TLSSocket, raw: Socket) => void;
  /** The peer spoke no TLS, or none that we speak, or took too long; its socket is gone. */
  readonly onFault: (fault: Error, peer: string | undefined) => void;
}

/** Makes TLS sockets of accepted ones. It listens nowhere by itself. */
export class TlsTerminator {
  readonly #server: Server;
  /** What is below, by the peer. */
  readonly #raw = new Map<string, Socket>();

  constructor({ config, tls, onSecure, onFault }: TlsTerminatorParts) {
    this.#server = createServer({
      cert: tls.certFile.text,
      key: tls.keyFile.secret.reveal(),
      minVersion: tls.minVersion,
      ciphers: tls.ciphers,
      handshakeTimeout: config.headerTimeoutMs,
      // A client that wants HTTP/2 alone learns it here; what is inside a TCP stream is not ours to know.
      ...(config.protocol === 'http' ? { ALPNProtocols: ['http/1.1'] } : {}),
    });
    this.#server.on('tlsClientError', (fault, { remoteAddress }) => onFault(fault, remoteAddress));
    this.#server.on('secureConnection', (socket) => {
      const raw = this.#raw.get(peerOf(socket));
      if (raw === undefined) socket.destroy();
      else onSecure(socket, raw);
    });
  }

  /** A peer that has ended a TLS session has nothing more to hear: there are no half-closed ones. */
  terminate(socket: Socket): void {
    socket.allowHalfOpen = false;
    const peer = peerOf(socket);
    this.#raw.set(peer, socket);
    socket.once('close', () => {
      if (this.#raw.get(peer) === socket) this.#raw.delete(peer);
    });
    this.#server.emit('connection', socket);
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
