/** The upstreams of the proxy under soak: a correct server, a faulty one, and a TCP echo. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Chance } from './chance.ts';

export const SOUND_BODY = 'sound'.repeat(40);

const HEAD_END = '\r\n\r\n';
const SOUND = `HTTP/1.1 200 OK\r\nContent-Length: ${SOUND_BODY.length}\r\n\r\n${SOUND_BODY}`;
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const BIG = 'x'.repeat(1_000_000);
const DRIP_MS = 40;
const IDLE_END_MS_MAX = 100;

type Deed = (socket: Socket) => unknown;

/** The possible reactions of an upstream to a request. */
const DEEDS: readonly Deed[] = [
  (socket) => socket.write(SOUND),
  (socket) => socket.write(SOUND),
  (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n'),
  (socket) => socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BIG.length}\r\n\r\n${BIG}`),
  (socket) => socket.write('HTTP/1.1 204 No Content\r\n\r\n'),
  (socket) => socket.write('HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n'),
  (socket) => socket.write('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n'),
  (socket) => socket.write('HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\noops'),
  (socket) => socket.write('HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n'),
  (socket) => socket.write('HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'),
  (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\nunasked'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok'),
  (socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${BIG}`),
  (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nuntil the end'),
  (socket) => socket.end(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end('HTTP/1.1 200 O'),
  (socket) => socket.write('220 hello\r\n'),
  (socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
  (socket) => socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nmore'),
  (socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nsome, and then nothing'),
  (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nsome');
    socket.once('drain', () => socket.resetAndDestroy());
    setTimeout(() => socket.resetAndDestroy(), DRIP_MS);
  },
  (socket) => drip(socket, SOUND.slice(0, 60)),
  // No answer.
  () => undefined,
  // Closed while idle, at about the time of its reuse.
  (socket) => {
    socket.write(SOUND);
    setTimeout(() => socket.end(), Math.random() * IDLE_END_MS_MAX);
  },
];

export class Upstream {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  static async start(serve: (socket: Socket) => void): Promise<Upstream> {
    const upstream = new Upstream(serve);
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  private constructor(serve: (socket: Socket) => void) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => this.#sockets.delete(socket));
      serve(socket);
    });
  }

  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Answers every request correctly; `count` is called for each. Requests have no bodies. */
export function soundly(count: () => void): (socket: Socket) => void {
  return (socket) => {
    let seen = '';
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      seen += chunk.toString('latin1');
      for (let end = seen.indexOf(HEAD_END); end >= 0; end = seen.indexOf(HEAD_END)) {
        seen = seen.slice(end + HEAD_END.length);
        count();
        socket.write(SOUND);
      }
    });
  };
}

export function faultily(chance: Chance): (socket: Socket) => void {
  return (socket) => {
    let isTunnel = false;
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      if (isTunnel) {
        echo(socket, chunk, chance);
        return;
      }
      const head = chunk.toString('latin1', 0, 4_000);
      if (!/^[A-Z]+ \//.test(head)) return;
      isTunnel = head.toLowerCase().includes('\nupgrade: websocket') && chance.next() < 0.7;
      const deed: Deed = isTunnel ? () => socket.write(SWITCH) : chance.pick(DEEDS);
      setTimeout(() => socket.writable && deed(socket), chance.upTo(4) * 5);
    });
  };
}

export function echoing(chance: Chance): (socket: Socket) => void {
  return (socket) => {
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      echo(socket, chunk, chance);
    });
  };
}

function echo(socket: Socket, chunk: Buffer, chance: Chance): void {
  const luck = chance.next();
  if (luck < 0.03) socket.resetAndDestroy();
  else if (luck < 0.06) socket.end(chunk.subarray(0, chunk.length >> 1));
  else if (luck < 0.97) socket.write(chunk);
}

/** Sends a byte periodically, until the client has disconnected. */
function drip(socket: Socket, text: string): void {
  if (text === '' || !socket.writable) return;
  socket.write(text.slice(0, 1));
  setTimeout(() => {
    drip(socket, text.slice(1));
  }, DRIP_MS);
}
