import type { FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { HTTP_LIMITS } from '../http-limits.ts';
import { routeMark, routeMarkOf } from '#platform/auth';

const STREAMING = 'streamingBody';

/** Sockets whose request is read as a stream: exempt from the limit on a whole request's time. */
const streamingSockets = new WeakSet<Socket>();

/** Marks a handler that reads its body as a stream, without a time limit for the whole. */
export function StreamingBody(): MethodDecorator {
  return routeMark({ [STREAMING]: true });
}

export function isStreamingRoute(request: FastifyRequest): boolean {
  return routeMarkOf(request, STREAMING) === true;
}

/** Exempts a request from the time limit; only the idle limit applies. */
export function allowStreaming(request: FastifyRequest): void {
  const { socket } = request.raw;
  streamingSockets.add(socket);
  request.raw.setTimeout(HTTP_LIMITS.streamIdleTimeoutMs, () => {
    socket.destroy();
  });
  request.raw.once('close', () => {
    streamingSockets.delete(socket);
    socket.setTimeout(0);
  });
}

export function isStreamingSocket(socket: Socket): boolean {
  return streamingSockets.has(socket);
}
