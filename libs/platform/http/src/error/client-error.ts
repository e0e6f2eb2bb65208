import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { isStreamingSocket } from '../body/streaming-body.ts';

interface Answer {
  readonly statusLine: string;
  readonly error: string;
  readonly message: string;
}

const MALFORMED: Answer = {
  statusLine: '400 Bad Request',
  error: 'INVALID_REQUEST',
  message: 'the request is not valid HTTP',
};

const ANSWERS: Readonly<Partial<Record<string, Answer>>> = {
  HPE_HEADER_OVERFLOW: {
    statusLine: '431 Request Header Fields Too Large',
    error: 'INVALID_REQUEST',
    message: 'the headers are too large',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    statusLine: '408 Request Timeout',
    error: 'INVALID_REQUEST',
    message: 'the request did not arrive in time',
  },
};

/**
 * Answers requests that Node's HTTP parser rejects before Fastify sees them. A slow streaming request is not
 * rejected.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isStreamingSocket(socket)) return;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawReply(ANSWERS[error.code ?? ''] ?? MALFORMED));
}

function rawReply({ statusLine, error, message }: Answer): string {
  const requestId = randomUUID();
  const body = JSON.stringify({ error, message, request_id: requestId });
  return [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
