import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { HTTP_LIMITS } from '../http-limits.ts';

const VISIBLE = /^[\x21-\x7e]+$/;

/** The client's id when it is short and printable, else a new one. */
export function requestIdOf(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  if (typeof given !== 'string' || given.length > HTTP_LIMITS.requestIdLengthMax || !VISIBLE.test(given)) {
    return randomUUID();
  }
  return given;
}
