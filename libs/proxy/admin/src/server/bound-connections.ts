/**
 * Keeps the connections of a server within a bound without ever refusing a new one for the sake of one that
 * is stuck.
 *
 * 1. A connection is stuck while it owes a whole request, and while it takes nothing of an answer. An idle
 *    one is no better: its next request can come by another connection.
 * 2. When there are more connections than the bound, those are closed that have been stuck for longest;
 *    without any, the newest.
 * 3. That is looked at when what has come by then is read, so that a request that came with its connection is
 *    under way.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export function boundConnections(server: Server, connectionsMax: number): void {
  // In the order in which they last came to the end of something.
  const connections = new Map<Socket, Exchange | undefined>();
  let isDue = false;

  const trim = (): void => {
    isDue = false;
    for (const [socket, exchange] of connections) {
      if (connections.size <= connectionsMax) return;
      if (isStuck(socket, exchange)) close(socket);
    }
    for (const socket of Array.from(connections.keys()).slice(connectionsMax)) close(socket);
  };
  const close = (socket: Socket): void => {
    connections.delete(socket);
    socket.destroy();
  };
  server.on('connection', (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (isDue || connections.size <= connectionsMax) return;
    isDue = true;
    setImmediate(() => setImmediate(trim));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    connections.set(socket, { request, response });
    response.once('close', () => {
      if (!connections.delete(socket) || socket.destroyed) return;
      connections.set(socket, undefined);
    });
  });
}

function isStuck({ writableLength }: Socket, exchange: Exchange | undefined): boolean {
  return exchange === undefined || !exchange.request.complete || writableLength > 0;
}
