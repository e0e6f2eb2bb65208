import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ListenerConfig, ListenerTls } from '../config/proxy-config.ts';

export interface TlsTerminatorParts {
  readonly config: ListenerConfig;
  readonly tls: ListenerTls;
  /** Undefined: made here. */
  readonly ticketKeys: Buffer | undefined;
  /** `raw` is the socket below, for what only it can do. */
  readonly onSecure: (socket: TLSSocket, raw: Socket) => void;
  /** The peer spoke no TLS, or none that we speak, or took too long, or left; its socket is gone. */
  readonly onFault: (fault: Error, peer: string | undefined) => void;
}

interface Handshake {
  /** The socket below. */
  readonly raw: Socket;
  isSecure: boolean;
  fault: Error | undefined;
}

class ClientDisconnected extends Error {
  readonly code = 'ECONNRESET';

  constructor() {
    super('closed before TLS was agreed on');
  }
}

/** Makes TLS sockets of accepted ones. It listens nowhere by itself. */
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
      // A client that wants HTTP/2 alone learns it here; what is inside a TCP stream is not ours to know.
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

  /** A peer that has ended a TLS session has nothing more to hear: there are no half-closed ones. */
  terminate(socket: Socket): void {
    socket.allowHalfOpen = false;
    const peer = peerOf(socket);
    const { remoteAddress } = socket;
    const handshake: Handshake = { raw: socket, isSecure: false, fault: undefined };
    this.#handshakes.set(peer, handshake);
    socket.once('close', () => {
      if (this.#handshakes.get(peer) === handshake) this.#handshakes.delete(peer);
      // By now the address of a socket is forgotten, and with it whose fault it was.
      if (!handshake.isSecure) this.#onFault(handshake.fault ?? new ClientDisconnected(), remoteAddress);
    });
    this.#server.emit('connection', socket);
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
