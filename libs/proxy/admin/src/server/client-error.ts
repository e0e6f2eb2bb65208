import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { answer, type Answer, CONTENT_TYPE } from '../answer/answer.ts';
import { refusedAnswer } from '../answer/refusal.ts';
import type { EndpointTable } from '../endpoint/endpoint-table.ts';

/** Time for a rejected client to read the response. */
const LINGER_MS = 1_000;

const STATUS_BY_CODE: Readonly<Partial<Record<string, number>>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** A method that the parser does not know, with a path as such: it is refused like any other. */
const UNKNOWN_METHOD = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+) (\/[^ ?]*)(?:\?[^ ]*)? HTTP\/1\.[01]$/;
const LINE_MAX = 16_384;

export interface ParserError extends NodeJS.ErrnoException {
  /** The input in which the parser found the fault. */
  readonly rawPacket?: unknown;
}

function firstLineOf({ rawPacket }: ParserError): string {
  const text = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1', 0, LINE_MAX) : '';
  return text.slice(0, Math.max(0, text.indexOf('\r\n')));
}

/**
 * Answers requests that Node's HTTP parser rejects before there is a request object, and closes the
 * connection.
 */
export function answerClientError(error: ParserError, socket: Socket, table: EndpointTable): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [, method = '', path = ''] = UNKNOWN_METHOD.exec(firstLineOf(error)) ?? [];
  if (error.code === 'HPE_INVALID_METHOD' && path !== '') {
    answerLast(socket, refusedAnswer({ method, path, accept: undefined }, table));
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
