import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ListenerConfig, ListenerTls } from '../config/proxy-config.ts';

export interface TlsTerminatorParts {
  readonly config: ListenerConfig;
  readonly tls: ListenerTls;
  readonly onSecure: (socket: TLSSocket) => void;
  /** The peer spoke no TLS, or none that we speak, or took too long; its socket is gone. */
  readonly onFault: (fault: Error) => void;
}

/** Makes TLS sockets of accepted ones. It listens nowhere by itself. */
export class TlsTerminator {
  readonly #server: Server;

  constructor({ config, tls, onSecure, onFault }: TlsTerminatorParts) {
    this.#server = createServer({
      cert: tls.certFile.text,
      key: tls.keyFile.secret.reveal(),
      handshakeTimeout: config.headerTimeoutMs,
      // A client that wants HTTP/2 alone learns it here; what is inside a TCP stream is not ours to know.
      ...(config.protocol === 'http' ? { ALPNProtocols: ['http/1.1'] } : {}),
    });
    this.#server.on('secureConnection', onSecure);
    this.#server.on('tlsClientError', onFault);
  }

  terminate(socket: Socket): void {
    this.#server.emit('connection', socket);
  }
}
