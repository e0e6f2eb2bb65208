import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Load generators open thousands of connections at once; one that finds no place is reset. */
const CONNECTIONS_WAITING_MAX = 4_096;

/** Listens on a port, 0 for any. Gives the port; rejects when it is taken. */
export async function listenOn(server: Server, port: number, host: string): Promise<number> {
  server.listen({ port, host, backlog: CONNECTIONS_WAITING_MAX });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Takes no more connections and ends those that are open. */
export async function closeAll(server: HttpServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
