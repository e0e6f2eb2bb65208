/**
 * Bounds the number of connections of a server, and their idle time, without rejecting new ones in favour of
 * stuck ones.
 *
 * 1. A connection is stuck while its request is incomplete, and while its response is not read. An idle one
 *    counts as stuck: its next request can use another connection.
 * 2. Above the bound, the connections that have been stuck longest are closed; without any, the newest.
 * 3. The bound is checked after pending input is read, so that a request that arrived with its connection is
 *    in progress.
 * 4. The idle time-out closes stuck connections only: an answer that is being prepared, such as that of a
 *    reload, may take longer than it.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { afterNextRead } from '#platform/foundation';
import { onConnection } from './connection-event.ts';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

export interface ConnectionBounds {
  readonly connectionsMax: number;
  readonly idleTimeoutMs: number;
}

export function boundConnections(server: Server, { connectionsMax, idleTimeoutMs }: ConnectionBounds): void {
  // Ordered by the time of their last completed request or response.
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
  onConnection(server, (socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
    if (isDue || connections.size <= connectionsMax) return;
    isDue = true;
    afterNextRead(trim);
  });
  server.setTimeout(idleTimeoutMs, (socket: Socket) => {
    if (isStuck(socket, connections.get(socket))) close(socket);
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
