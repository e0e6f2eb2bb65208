import type { Socket } from 'node:net';

/**
 * Closes a socket so that the other side cannot take it for a clean end; what was still to be sent is lost.
 *
 * While the system is told of the end of what we send, it refuses a reset; Node then gives up the socket
 * without closing it, and its `close` never comes. That takes a turn of the loop, and is waited for.
 */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (isBeingEnded(socket)) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

/** With something left to send, the end is not told yet. */
function isBeingEnded({ writableEnded, writableFinished, writableLength }: Socket): boolean {
  return writableEnded && !writableFinished && writableLength === 0;
}
