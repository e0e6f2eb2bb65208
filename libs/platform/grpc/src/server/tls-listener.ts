import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { LISTEN_BACKLOG } from '#platform/foundation';
import type { Log } from '#platform/observability';
import { type ServerTls, tlsOptions } from '#platform/tls';

/** A failed TLS handshake; the client is not authenticated. */
export interface RefusedHandshake {
  /** Address and port. */
  readonly peer: string;
  /** The reason in the words of the TLS library. */
  readonly reason: string;
}

export interface TlsListenerParts {
  readonly material: ServerTls;
  readonly onConnection: (socket: TLSSocket) => void;
  readonly onRefused: (refused: RefusedHandshake) => void;
  readonly handshakeMs?: number;
}

const PROTOCOL = 'h2';
const HANDSHAKE_MS = 10_000;
const QUIET_MS = 1_000;

/**
 * TLS listener in front of the gRPC server, which does not report failed handshakes. With an authority,
 * clients must present a certificate.
 */
export class TlsListener {
  readonly #server: Server;

  constructor({ material, onConnection, onRefused, handshakeMs = HANDSHAKE_MS }: TlsListenerParts) {
    const isMutual = material.ca !== undefined;
    this.#server = createServer({
      ...tlsOptions(material),
      // Rejected below, where the peer's address is available.
      requestCert: isMutual,
      rejectUnauthorized: false,
      ALPNProtocols: [PROTOCOL],
      handshakeTimeout: handshakeMs,
    });
    material.follow?.(this.#server);
    this.#server.on('secureConnection', (socket) => {
      // The HTTP/2 session reports the error.
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
      // Node reports a time-out, and leaves the connection open.
      socket.destroy();
    });
  }

  /** Returns the port. Rejects when the address cannot be bound. */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen({ port, host, backlog: LISTEN_BACKLOG });
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** Accepts no new connections; existing ones stay open. */
  close(): void {
    this.#server.close();
  }
}

/** The reason to reject the connection; undefined when it is valid. */
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

/** Logs rejected TLS handshakes, at most one line per second. */
export class TlsRefusals {
  readonly #log: Log;
  readonly #event: string;
  #quietUntilMs = 0;
  #suppressed = 0;

  /** `event` is the event name of the log line. */
  constructor(log: Log, event: string) {
    this.#log = log;
    this.#event = event;
  }

  log({ peer, reason }: RefusedHandshake): void {
    const nowMs = performance.now();
    if (nowMs < this.#quietUntilMs) {
      this.#suppressed++;
      return;
    }
    this.#quietUntilMs = nowMs + QUIET_MS;
    const suppressed = this.#suppressed;
    this.#suppressed = 0;
    this.#log.warn({ event: this.#event, peer, reason, suppressed }, 'TLS connection rejected');
  }
}
