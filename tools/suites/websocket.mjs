import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { withProxy } from './support/proxy.mjs';

export const source =
  'WebSocket through the proxy: ws 8, https://github.com/websockets/ws, MIT, at both ends; own cases after the groups of the Autobahn TestSuite (1 framing, 2 pings, 4 opcodes, 5 fragments, 6 UTF-8, 7 closing, 9 limits, 12 compression)';

const CASE_MS_MAX = 10_000;
const SIZES = [0, 1, 125, 126, 127, 128, 65_535, 65_536, 1_048_576];
const CLOSE_CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999];
const BAD_CLOSE_CODES = [0, 999, 1004, 1005, 1006, 1016, 2999, 5000];
const MASK = Buffer.from([1, 2, 3, 4]);

/**
 * Each case runs against the server directly and through the proxy: the results must be equal and correct.
 */
export async function run() {
  const server = await echoServer();
  try {
    const { port: direct } = server.address();
    return await withProxy(direct, async ({ port }) => {
      const notes = [];
      let passed = 0;
      for (const [name, test] of cases()) {
        const seen = await Promise.all([attempt(test, direct), attempt(test, port)]);
        if (seen[0] === seen[1] && seen[0].startsWith('fine')) passed += 1;
        else notes.push(`${name}: straight ${seen[0]}, through the proxy ${seen[1]}`);
      }
      return { passed, failed: notes.length, notes };
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function echoServer() {
  const server = createServer((_, response) => response.writeHead(426).end()).listen(0, '127.0.0.1');
  const sockets = new WebSocketServer({
    server,
    perMessageDeflate: { threshold: 0 },
    maxPayload: 16 * 2 ** 20,
    handleProtocols: (offered) => (offered.has('chat.v2') ? 'chat.v2' : false),
  });
  sockets.on('connection', (socket) => {
    socket.on('error', () => undefined);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  await once(server, 'listening');
  return server;
}

function* cases() {
  for (const size of SIZES) {
    yield [`1 text of ${size}`, (port) => echoes(port, 'é'.repeat(size / 2).padEnd(size, 'x'))];
    yield [`1 binary of ${size}`, (port) => echoes(port, Buffer.alloc(size, 0xfe))];
    yield [`12 compressed of ${size}`, (port) => echoes(port, 'x'.repeat(size), { perMessageDeflate: true })];
  }
  for (const size of [0, 1, 125])
    yield [`2 ping of ${size}`, (port) => pongs(port, Buffer.alloc(size, 0xff))];
  yield ['2 unasked pong', (port) => closesAfter(port, [frame(0xa, 'x'), frame(0x1, 'hi')], '8102' + '6869')];
  for (const opcode of [3, 7, 0xb, 0xf]) {
    yield [`4 opcode ${opcode}`, (port) => isRefused(port, [frame(opcode, '')], 1002)];
  }
  for (const parts of [2, 3, 50]) yield [`5 ${parts} fragments`, (port) => echoesFragments(port, parts)];
  yield ['5 a ping between fragments', (port) => echoesAroundPing(port)];
  yield ['5 a fragment of nothing', (port) => isRefused(port, [frame(0x0, 'x')], 1002)];
  yield [
    '5 a text within a text',
    (port) => isRefused(port, [frame(0x1, 'a', false), frame(0x1, 'b')], 1002),
  ];
  yield ['6 text that is no UTF-8', (port) => isRefused(port, [frame(0x1, Buffer.from([0xff]))], 1007)];
  yield ['6 a surrogate', (port) => isRefused(port, [frame(0x1, Buffer.from([0xed, 0xa0, 0x80]))], 1007)];
  for (const code of CLOSE_CODES) yield [`7 close with ${code}`, (port) => closes(port, code)];
  for (const code of BAD_CLOSE_CODES) {
    yield [`7 close with ${code}`, (port) => isRefused(port, [closeFrame(code)], 1002)];
  }
  yield ['7 a close of one byte', (port) => isRefused(port, [frame(0x8, 'x')], 1002)];
  yield ['7 a reason that is no UTF-8', (port) => isRefused(port, [closeFrame(1000, [0xff])], 1007)];
  yield ['9 a hundred messages at once', (port) => echoesMany(port, 100)];
  yield [
    '9 a byte at a time',
    (port) => closesAfter(port, bytesOf(frame(0x1, 'slowly')), '8106' + '736c6f776c79'),
  ];
  yield ['a subprotocol', (port) => agreesOn(port, ['chat.v1', 'chat.v2'], 'chat.v2')];
}

async function attempt(test, port) {
  const late = Promise.withResolvers();
  const timeout = setTimeout(() => late.resolve('no end'), CASE_MS_MAX);
  const outcome = test(port).catch((error) => `failed: ${error.message}`);
  return Promise.race([outcome, late.promise]).finally(() => clearTimeout(timeout));
}

async function opened(port, options = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`, options.protocols ?? [], {
    perMessageDeflate: options.perMessageDeflate ?? false,
  });
  await once(socket, 'open');
  return socket;
}

async function echoes(port, message, options) {
  const socket = await opened(port, options);
  socket.send(message);
  const [data, isBinary] = await once(socket, 'message');
  socket.terminate();
  return data.equals(Buffer.from(message)) && isBinary === (typeof message !== 'string')
    ? 'fine'
    : 'other bytes';
}

async function echoesFragments(port, parts) {
  const socket = await opened(port);
  for (let part = 1; part <= parts; part++) socket.send(`part ${part},`, { fin: part === parts });
  const [data] = await once(socket, 'message');
  socket.terminate();
  return data.toString().split(',').length === parts + 1 ? 'fine' : 'other bytes';
}

async function echoesAroundPing(port) {
  const socket = await opened(port);
  const pong = once(socket, 'pong');
  socket.send('a', { fin: false });
  socket.ping('now');
  await pong;
  socket.send('b', { fin: true });
  const [data] = await once(socket, 'message');
  socket.terminate();
  return data.toString() === 'ab' ? 'fine' : 'other bytes';
}

async function echoesMany(port, count) {
  const socket = await opened(port);
  const seen = [];
  for (let message = 0; message < count; message++) socket.send(String(message));
  await new Promise((resolve) => {
    socket.on('message', (data) => {
      if (seen.push(Number(data)) === count) resolve();
    });
  });
  socket.terminate();
  return seen.every((value, index) => value === index) ? 'fine' : 'another order';
}

async function pongs(port, payload) {
  const socket = await opened(port);
  socket.ping(payload);
  const [data] = await once(socket, 'pong');
  socket.terminate();
  return data.equals(payload) ? 'fine' : 'other bytes';
}

async function closes(port, code) {
  const socket = await opened(port);
  socket.close(code === 1010 ? 1000 : code, 'why');
  const [seen] = await once(socket, 'close');
  return `fine ${seen}`;
}

async function agreesOn(port, protocols, expected) {
  const socket = await opened(port, { protocols });
  const { protocol } = socket;
  socket.terminate();
  return protocol === expected ? 'fine' : `protocol ${protocol}`;
}

/** A connection that sends raw frames: returns everything received after the handshake, in hex. */
async function raw(port, frames, isEnough) {
  const socket = connect(port, '127.0.0.1');
  const key = Buffer.alloc(16, 7).toString('base64');
  socket.write(
    `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
  );
  let seen = Buffer.alloc(0);
  let isOpen = false;
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(afterHead(seen)));
    socket.on('data', (chunk) => {
      seen = Buffer.concat([seen, chunk]);
      if (!isOpen && seen.includes('\r\n\r\n')) {
        isOpen = true;
        for (const part of frames) socket.write(part);
      }
      if (isOpen && isEnough(afterHead(seen))) {
        socket.destroy();
        resolve(afterHead(seen));
      }
    });
  });
}

function afterHead(bytes) {
  return bytes.subarray(bytes.indexOf('\r\n\r\n') + 4).toString('hex');
}

async function isRefused(port, frames, code) {
  const expected = `8802${code.toString(16).padStart(4, '0')}`;
  const seen = await raw(port, frames, (hex) => hex.length >= expected.length);
  return seen.startsWith(expected) ? 'fine' : `answered ${seen}`;
}

async function closesAfter(port, frames, expected) {
  const seen = await raw(port, frames, (hex) => hex.length >= expected.length);
  return seen === expected ? 'fine' : `answered ${seen}`;
}

/** Masked, like a client's frames. */
function frame(opcode, payload, isFinal = true) {
  const bytes = Buffer.from(payload);
  const masked = bytes.map((byte, index) => byte ^ MASK[index % 4]);
  return Buffer.concat([Buffer.from([(isFinal ? 0x80 : 0) | opcode, 0x80 | bytes.length]), MASK, masked]);
}

function closeFrame(code, reason = []) {
  return frame(0x8, Buffer.from([code >> 8, code & 0xff, ...reason]));
}

function bytesOf(buffer) {
  return Array.from(buffer, (byte) => Buffer.from([byte]));
}
