import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { COMMON_HEADERS, CONTENT_TYPE } from '#admin';

const STATUS_BY_CODE: Readonly<Partial<Record<string, number>>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers what Node's HTTP parser refuses, before there is a request, and closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = `${reason}\n`;
  const headers = {
    'Content-Type': CONTENT_TYPE.text,
    'Content-Length': String(body.length),
    ...COMMON_HEADERS,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`);
}
