import { isUtf8 } from 'node:buffer';
import { DomainError, parseExactJson } from '#platform/foundation';
import { HTTP_LIMITS } from '../http-limits.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

/** So many digits an integer has that a number cannot hold exactly, or more. */
const LONG_INTEGER_DIGITS = 16;

export interface JsonOptions {
  /** What the text is, for messages; default `body`. */
  readonly what?: string;
  /** Integers beyond ±(2^53 − 1) become bigints; else they are rounded. */
  readonly exactIntegers?: boolean;
}

/**
 * The value of JSON text in UTF-8. Throws INVALID_REQUEST when it is empty, not UTF-8, nested deeper than
 * {@link HTTP_LIMITS.jsonDepthMax}, or no JSON. `__proto__` becomes an own property like any other.
 */
export function parseJsonBytes(bytes: Buffer, options: JsonOptions = {}): unknown {
  const { what = 'body', exactIntegers = false } = options;
  if (bytes.length === 0) throw new DomainError('INVALID_REQUEST', `${what}: expected JSON, got nothing`);
  if (!isUtf8(bytes)) throw new DomainError('INVALID_REQUEST', `${what}: expected UTF-8`);
  const { isTooDeep, hasLongInteger } = scan(bytes, HTTP_LIMITS.jsonDepthMax);
  if (isTooDeep) {
    throw new DomainError(
      'INVALID_REQUEST',
      `${what}: nested deeper than ${String(HTTP_LIMITS.jsonDepthMax)}`,
    );
  }
  try {
    const text = bytes.toString('utf8');
    return exactIntegers && hasLongInteger ? parseExactJson(text) : (JSON.parse(text) as unknown);
  } catch (error) {
    throw new DomainError('INVALID_REQUEST', `${what}: expected JSON, got malformed text`, { cause: error });
  }
}

/** Brackets and digits outside strings, counted before anything is built of them. */
function scan(
  bytes: Buffer,
  depthMax: number,
): { readonly isTooDeep: boolean; readonly hasLongInteger: boolean } {
  let depth = 0;
  let digits = 0;
  let hasLongInteger = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] ?? 0;
    if (byte >= ZERO && byte <= NINE) {
      if (++digits === LONG_INTEGER_DIGITS) hasLongInteger = true;
      continue;
    }
    digits = 0;
    if (byte === QUOTE) i = endOfString(bytes, i + 1);
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > depthMax) return { isTooDeep: true, hasLongInteger };
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
  return { isTooDeep: false, hasLongInteger };
}

/** Where the closing quote stands, or the end. */
function endOfString(bytes: Buffer, start: number): number {
  let i = start;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
