import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Load generators open thousands of connections at once; those beyond the backlog are reset. */
const CONNECTIONS_WAITING_MAX = 4_096;

/** Listens on a port, 0 for any. Returns the port; rejects if it is in use. */
export async function listenOn(server: Server, port: number, host: string): Promise<number> {
  server.listen({ port, host, backlog: CONNECTIONS_WAITING_MAX });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Stops accepting connections and closes the open ones. */
export async function closeAll(server: HttpServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
