import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

/** A free port of the loopback interface. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

const SOMAXCONN = '/proc/sys/net/core/somaxconn';
const LISTENING = '0A';
const HANDSHAKE_MS_MAX = 10_000;

/** Number of connections at once: more than Node's default backlog, less than that of Linux. */
export const BURST = 800;

/** Why bursts cannot be tested here; undefined when they can. */
export function burstMissing(): string | undefined {
  if (!existsSync(SOMAXCONN)) return 'it is not Linux';
  const most = Number(readFileSync(SOMAXCONN, 'utf8'));
  return most < BURST ? `net.core.somaxconn is ${String(most)}` : undefined;
}

/** Opens connections to 127.0.0.1 to a program that accepts none; returns how many the system has queued. */
export async function waitingOf(port: number): Promise<number> {
  const sockets: Socket[] = [];
  try {
    for (let at = 0; at < BURST; at++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      // One after another, because dropped packets of a burst would distort the result. Needs no turn of the
      // program.
      await once(socket, 'connect', { signal: AbortSignal.timeout(HANDSHAKE_MS_MAX) });
    }
  } catch {
    // The queue is full.
  }
  const waiting = waitingAt(port);
  for (const socket of sockets) socket.destroy();
  return waiting;
}

/** Length of the accept queue, as reported by the system. */
function waitingAt(port: number): number {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0');
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const row = rows.find(([, local = '', , state]) => local.endsWith(`:${hexPort}`) && state === LISTENING);
  const [, waiting = '0'] = (row?.[4] ?? '').split(':');
  return Number.parseInt(waiting, 16);
}
