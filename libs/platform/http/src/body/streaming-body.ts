import type { FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';
import { HTTP_LIMITS } from '../http-limits.ts';
import { routeMark, routeMarkOf } from './route-mark.ts';

const STREAMING = 'streamingBody';

/** Sockets whose request is read as a stream: the limit on a whole request's time is not theirs. */
const streamingSockets = new WeakSet<Socket>();

/** Marks a handler that reads its body as it comes, however long that takes. */
export function StreamingBody(): MethodDecorator {
  return routeMark({ [STREAMING]: true });
}

export function isStreamingRoute(request: FastifyRequest): boolean {
  return routeMarkOf(request, STREAMING) === true;
}

/** Lets a request take its time; only a pause that is too long ends it. */
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
