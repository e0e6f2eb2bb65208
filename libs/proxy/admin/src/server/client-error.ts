import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { answer, type Answer, CONTENT_TYPE } from '../answer/answer.ts';

/** Time for a rejected client to read the response. */
const LINGER_MS = 1_000;

const STATUS_BY_CODE: Readonly<Partial<Record<string, number>>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/**
 * Answers requests that Node's HTTP parser rejects before there is a request object, and closes the
 * connection.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  answerLast(socket, answer(status, CONTENT_TYPE.text, `${STATUS_CODES[status] ?? ''}\n`));
}

/**
 * Writes past the HTTP server, to a connection that is closed afterwards, whether or not the client reads it.
 */
export function answerLast(socket: Socket, { status, headers, body }: Answer): void {
  const all = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}
