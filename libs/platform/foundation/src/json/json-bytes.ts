import { isUtf8 } from 'node:buffer';
import { DomainError } from '../errors.ts';
import { completed, type Steps } from '../steps.ts';
import { findRepeatedName, NameFilter, repetitionText } from './distinct-names.ts';
import { parseExactJson } from './exact-json.ts';
import { endOfString, parseInSlices, type SliceOptions } from './json-slices.ts';

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;
const ZERO = 0x30;
const NINE = 0x39;

/** Maximum nesting depth of lists and objects. */
export const JSON_DEPTH_MAX = 128;
/** A larger text is parsed in slices of this size, in a few milliseconds each. */
const SLICE_BYTES = 128 * 1024;

/** An integer that a number cannot represent has at least this many digits. */
const LONG_INTEGER_DIGITS = 16;
const LONG_INTEGER = new RegExp(`\\d{${LONG_INTEGER_DIGITS}}`);

export interface JsonOptions {
  /** Names the text in messages; default `body`. */
  readonly what?: string;
  /** Whether integers beyond ±(2^53 − 1) become bigints; otherwise they are rounded. */
  readonly exactIntegers?: boolean;
}

/**
 * The value of a JSON text in UTF-8. Throws INVALID_REQUEST when it is empty, not UTF-8, nested deeper than
 * {@link JSON_DEPTH_MAX}, malformed, or has an object with a name twice. `__proto__` becomes an ordinary own
 * property.
 */
export function parseJsonBytes(bytes: Buffer, options: JsonOptions = {}): unknown {
  const { what = 'body', exactIntegers = false } = options;
  checkBytes(bytes, what);
  const { isTooDeep, hasLongInteger, mayRepeat } = scan(bytes, JSON_DEPTH_MAX);
  if (isTooDeep) throw tooDeep(what);
  const text = bytes.toString('utf8');
  const value = parsed(
    () => (exactIntegers && hasLongInteger ? parseExactJson(text) : JSON.parse(text)),
    what,
  );
  if (mayRepeat) completed(requireDistinctNames(text, what));
  return value;
}

function parsed(parse: () => unknown, what: string): unknown {
  try {
    return parse();
  } catch (error) {
    throw malformed(what, error);
  }
}

/** Throws INVALID_REQUEST for an object with a name twice. Requires valid JSON. */
function* requireDistinctNames(text: string, what: string): Steps<void> {
  const repeated = yield* findRepeatedName(text);
  if (repeated !== null)
    throw new DomainError('INVALID_REQUEST', `${what}: expected ${repetitionText(repeated)}`);
}

/** Like `parseJsonBytes`, in steps of a few milliseconds, for a text that may be large. */
export function* parseJsonInSteps(bytes: Buffer, options: JsonOptions = {}): Steps<unknown> {
  if (bytes.length <= SLICE_BYTES) return parseJsonBytes(bytes, options);
  const { what = 'body', exactIntegers = false } = options;
  checkBytes(bytes, what);
  const parse = exactIntegers ? parseSlice : undefined;
  const names = new NameFilter();
  const slices = { sliceBytes: SLICE_BYTES, depthMax: JSON_DEPTH_MAX, names, ...(parse && { parse }) };
  const value = yield* sliced(bytes, slices, what);
  if (names.mayRepeat) yield* requireDistinctNames(bytes.toString('utf8'), what);
  return value;
}

function* sliced(bytes: Buffer, slices: SliceOptions, what: string): Steps<unknown> {
  try {
    return yield* parseInSlices(bytes, slices);
  } catch (error) {
    throw error instanceof RangeError ? tooDeep(what) : malformed(what, error);
  }
}

/** A long run of digits inside a string is harmless: it only selects the slower parser. */
function parseSlice(text: string): unknown {
  return LONG_INTEGER.test(text) ? parseExactJson(text) : (JSON.parse(text) as unknown);
}

function checkBytes(bytes: Buffer, what: string): void {
  if (bytes.length === 0) throw new DomainError('INVALID_REQUEST', `${what}: expected JSON, got nothing`);
  if (!isUtf8(bytes)) throw new DomainError('INVALID_REQUEST', `${what}: expected UTF-8`);
}

function tooDeep(what: string): DomainError {
  return new DomainError('INVALID_REQUEST', `${what}: nested deeper than ${String(JSON_DEPTH_MAX)}`);
}

function malformed(what: string, cause: unknown): DomainError {
  return new DomainError('INVALID_REQUEST', `${what}: expected JSON, got malformed text`, { cause });
}

interface Scanned {
  readonly isTooDeep: boolean;
  readonly hasLongInteger: boolean;
  /** Whether an object may have a name twice. */
  readonly mayRepeat: boolean;
}

/** Looks at brackets, digits and names before anything is parsed. */
function scan(bytes: Buffer, depthMax: number): Scanned {
  const names = new NameFilter();
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
    if (byte === QUOTE) {
      const end = endOfString(bytes, i + 1);
      names.string(bytes, i, end);
      i = end;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > depthMax) return { isTooDeep: true, hasLongInteger, mayRepeat: false };
      names.open();
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      depth--;
      names.close();
    }
  }
  return { isTooDeep: false, hasLongInteger, mayRepeat: names.mayRepeat };
}
