import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';

/** Calls back for each connection that speaks HTTP: over TLS once its handshake is done. */
export function onConnection(server: Server, listener: (socket: Socket) => void): void {
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', listener);
}
