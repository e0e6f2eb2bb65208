import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';

const SOMAXCONN = '/proc/sys/net/core/somaxconn';
const LISTENING = '0A';
const HANDSHAKE_MS_MAX = 10_000;

/** More than Node lets wait unless it is told, fewer than Linux does. */
export const BURST = 800;

/** Why a burst cannot be looked at here; undefined: it can. */
export function burstMissing(): string | undefined {
  if (!existsSync(SOMAXCONN)) return 'it is not Linux';
  const most = Number(readFileSync(SOMAXCONN, 'utf8'));
  return most < BURST ? `net.core.somaxconn is ${String(most)}` : undefined;
}

/** Connections to 127.0.0.1 that the system has taken for a program which accepts none of them. */
export async function waitingOf(port: number): Promise<number> {
  const sockets: Socket[] = [];
  try {
    for (let at = 0; at < BURST; at++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      // One after another: a burst of packets would be another matter. Needs no turn of the program.
      await once(socket, 'connect', { signal: AbortSignal.timeout(HANDSHAKE_MS_MAX) });
    }
  } catch {
    // The system takes no more of them.
  }
  const waiting = waitingAt(port);
  for (const socket of sockets) socket.destroy();
  return waiting;
}

/** How many wait at the listening socket, as the system tells. */
function waitingAt(port: number): number {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const row = rows.find(([, local = '', , state]) => local.endsWith(`:${hexPort}`) && state === LISTENING);
  const [, waiting = '0'] = (row?.[4] ?? '').split(':');
  return Number.parseInt(waiting, 16);
}
