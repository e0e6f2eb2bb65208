import { isUtf8 } from 'node:buffer';
import { DomainError } from '#foundation';
import { HTTP_LIMITS } from '../http-limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/**
 * The value of JSON text in UTF-8. Throws INVALID_REQUEST when it is empty, not UTF-8, nested deeper than
 * {@link HTTP_LIMITS.jsonDepthMax}, or no JSON. `__proto__` becomes an own property like any other.
 */
export function parseJsonBytes(bytes: Buffer, what = 'body'): unknown {
  if (bytes.length === 0) throw new DomainError('INVALID_REQUEST', `${what}: expected JSON, got nothing`);
  if (!isUtf8(bytes)) throw new DomainError('INVALID_REQUEST', `${what}: expected UTF-8`);
  if (isDeeperThan(bytes, HTTP_LIMITS.jsonDepthMax)) {
    throw new DomainError(
      'INVALID_REQUEST',
      `${what}: nested deeper than ${String(HTTP_LIMITS.jsonDepthMax)}`,
    );
  }
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch (error) {
    throw new DomainError('INVALID_REQUEST', `${what}: expected JSON, got malformed text`, { cause: error });
  }
}

/** Brackets outside strings, counted before anything is built of them. */
function isDeeperThan(bytes: Buffer, depthMax: number): boolean {
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) i = endOfString(bytes, i + 1);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > depthMax) return true;
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return false;
}

/** Where the closing quote stands, or the end. */
function endOfString(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
