import type { Socket } from 'node:net';

/**
 * Closes a socket by a reset, so that the peer does not mistake it for a clean end; unsent data is lost.
 *
 * While a FIN is being sent, the system rejects a reset; Node then drops the socket without closing it, and
 * never emits `close`. The FIN takes one turn of the event loop, and is awaited.
 */
export function resetSocket(socket: Socket): void {
  if (socket.destroyed) return;
  if (isBeingEnded(socket)) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

/** Whether the FIN is being sent, which follows all pending data. */
function isBeingEnded({ writableEnded, writableFinished, writableLength }: Socket): boolean {
  return writableEnded && !writableFinished && writableLength === 0;
}
