/** Faulty clients: they disconnect at every stage, stall, trickle, and send invalid data. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Chance, pause } from './chance.ts';

const HOST = 'Host: soak.example\r\n';
const BIG = 'y'.repeat(150_000);
const PATIENCE_MS = 2_000;
const TRICKLE_MS = 60;
const UPGRADE =
  `GET /ws HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';

const REQUESTS: readonly string[] = [
  `GET / HTTP/1.1\r\n${HOST}\r\n`,
  `GET / HTTP/1.1\r\n${HOST}\r\n`,
  `HEAD / HTTP/1.1\r\n${HOST}\r\n`,
  `GET / HTTP/1.0\r\n${HOST}Connection: keep-alive\r\n\r\n`,
  `GET / HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  'GET /elsewhere HTTP/1.1\r\nHost: elsewhere\r\n\r\n',
  `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\n\r\nhello`,
  `PUT / HTTP/1.1\r\n${HOST}Content-Length: ${BIG.length}\r\n\r\n${BIG}`,
  `PUT / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
  `POST / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nnonsense\r\n`,
  `PUT / HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello`,
  `GET / HTTP/1.1\r\n${HOST}${HOST}\r\n`,
  `GET / HTTP/1.1\r\n${HOST}X: ${'a'.repeat(9_000)}\r\n\r\n`,
  `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  'CONNECT soak.example:443 HTTP/1.1\r\nHost: soak.example:443\r\n\r\n',
  'nonsense\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  UPGRADE,
  `${UPGRADE}early`,
];

type Deed = (socket: Socket, chance: Chance) => Promise<unknown>;

const HTTP_DEEDS: readonly Deed[] = [
  async (socket, chance) => say(socket, chance.pick(REQUESTS)),
  async (socket, chance) => say(socket, chance.pick(REQUESTS)),
  // Several requests at once; what follows them may be cut.
  async (socket, chance) => {
    const several = Array.from({ length: 1 + chance.upTo(4) }, () => chance.pick(REQUESTS)).join('');
    say(socket, several.slice(0, chance.next() < 0.5 ? several.length : chance.upTo(several.length)));
  },
  async (socket, chance) => {
    const request = chance.pick(REQUESTS);
    say(socket, request.slice(0, chance.upTo(Math.min(request.length, 200))));
  },
  trickle,
  tunnel,
  // Reads nothing of the answer.
  async (socket) => {
    socket.pause();
    for (let count = 0; count < 20; count++) say(socket, `GET / HTTP/1.1\r\n${HOST}\r\n`);
  },
  async () => undefined,
];

const STREAM_DEEDS: readonly Deed[] = [
  async (socket, chance) => say(socket, BIG.slice(0, 1 + chance.upTo(BIG.length))),
  async (socket, chance) => say(socket, BIG.slice(0, 1 + chance.upTo(100))),
  async (socket) => {
    socket.pause();
    for (let count = 0; count < 20; count++) say(socket, BIG);
  },
  trickle,
  async () => undefined,
];

/** The ways to end a connection. */
const ENDS: readonly Deed[] = [
  async (socket) => socket.destroy(),
  async (socket) => socket.resetAndDestroy(),
  async (socket) => socket.end(),
  async (socket, chance) => {
    await pause(chance.upTo(50));
    socket.destroy();
  },
  async (socket, chance) => {
    await pause(chance.upTo(300));
    socket.resetAndDestroy();
  },
  async (socket, chance) => {
    await pause(chance.upTo(300));
    socket.end();
  },
  // Waits for the proxy to act.
  async (socket) => closedInTime(socket),
];

export interface UnrulyTally {
  connections: number;
}

export interface UnrulyOptions {
  readonly kind: 'http' | 'stream';
  readonly port: number;
  readonly chance: Chance;
  readonly isOver: () => boolean;
}

export async function misbehave(
  { kind, port, chance, isOver }: UnrulyOptions,
  tally: UnrulyTally,
): Promise<void> {
  const deeds = kind === 'http' ? HTTP_DEEDS : STREAM_DEEDS;
  while (!isOver()) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: chance.next() < 0.3 });
    socket.on('error', () => socket.destroy());
    socket.resume();
    await new Promise<void>((resolve) => {
      socket.once('connect', () => {
        tally.connections += 1;
        resolve();
      });
      socket.once('close', () => {
        resolve();
      });
    });
    await chance.pick(deeds)(socket, chance);
    await chance.pick(ENDS)(socket, chance);
    await closedInTime(socket);
    socket.destroy();
    await closedInTime(socket);
  }
}

/** Requests much, reads nothing, and stays until it is stopped. */
export async function sit(
  { kind, port }: Pick<UnrulyOptions, 'kind' | 'port'>,
  tally: UnrulyTally,
): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  tally.connections += 1;
  socket.pause();
  socket.write(kind === 'http' ? `GET / HTTP/1.1\r\n${HOST}\r\n`.repeat(50) : BIG.repeat(50));
  return socket;
}

function say(socket: Socket, text: string): void {
  if (socket.writable) socket.write(text, 'latin1');
}

async function trickle(socket: Socket, chance: Chance): Promise<void> {
  const text = chance.pick(REQUESTS).slice(0, 40);
  for (let at = 0; at < text.length && socket.writable; at++) {
    say(socket, text.charAt(at));
    await pause(TRICKLE_MS);
  }
}

async function tunnel(socket: Socket, chance: Chance): Promise<void> {
  say(socket, UPGRADE);
  for (let count = chance.upTo(6); count > 0; count--) {
    await pause(chance.upTo(40));
    say(socket, BIG.slice(0, 1 + chance.upTo(20_000)));
  }
}

/** Node emits no `close` for a socket that is reset while it is being ended. */
function closedInTime(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      socket.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, PATIENCE_MS);
    socket.once('close', done);
    if (socket.closed) done();
  });
}
