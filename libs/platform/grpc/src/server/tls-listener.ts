import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { LISTEN_BACKLOG } from '#platform/foundation';
import { type ServerTls, tlsBuffers } from './tls-material.ts';

/** A connection that did not come about: nobody knows whose it was. */
export interface RefusedHandshake {
  /** Address and port. */
  readonly peer: string;
  /** As TLS names it. */
  readonly reason: string;
}

export interface TlsListenerParts {
  readonly material: ServerTls;
  readonly onConnection: (socket: TLSSocket) => void;
  readonly onRefused: (refused: RefusedHandshake) => void;
}

const PROTOCOL = 'h2';
const HANDSHAKE_MS = 10_000;

/**
 * Listens for clients, who show a certificate of the authority where there is one. It stands before the gRPC
 * server, which does not tell of handshakes that fail.
 */
export class TlsListener {
  readonly #server: Server;

  constructor({ material, onConnection, onRefused }: TlsListenerParts) {
    const isMutual = material.ca !== undefined;
    this.#server = createServer({
      ...tlsBuffers(material),
      // Refused below, where it can still be told who it was.
      ...{ requestCert: isMutual, rejectUnauthorized: false },
      ...{ ALPNProtocols: [PROTOCOL], handshakeTimeout: HANDSHAKE_MS },
    });
    this.#server.on('secureConnection', (socket) => {
      // The session on it tells of the end.
      socket.on('error', () => undefined);
      const reason = faultOf(socket, isMutual);
      if (reason === undefined) onConnection(socket);
      else {
        onRefused({ peer: peerOf(socket), reason });
        socket.destroy();
      }
    });
    this.#server.on('tlsClientError', ({ code, message }: NodeJS.ErrnoException, socket) => {
      onRefused({ peer: peerOf(socket), reason: code ?? message });
    });
  }

  /** Gives the port. Rejects when the address cannot be had. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ port, host, backlog: LISTEN_BACKLOG });
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes nobody any more; who is connected stays so. */
  close(): void {
    this.#server.close();
  }
}

/** Why the connection cannot be had; undefined when all is well. */
function faultOf(socket: TLSSocket, isMutual: boolean): string | undefined {
  if (isMutual && !socket.authorized) {
    const isShown = socket.getPeerX509Certificate() !== undefined;
    return isShown ? String(socket.authorizationError) : 'no certificate';
  }
  return socket.alpnProtocol === PROTOCOL ? undefined : `expected the protocol ${PROTOCOL}`;
}

function peerOf({ remoteAddress, remotePort }: TLSSocket): string {
  return remoteAddress === undefined ? 'unknown' : `${remoteAddress}:${String(remotePort)}`;
}
