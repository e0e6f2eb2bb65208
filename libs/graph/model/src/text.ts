import { type FieldPath, kindOf } from './field-path.ts';
import { MODEL_LIMITS } from './limits.ts';

const KNOWN_NAMES_MAX = 4_096;
const BYTES_PER_UTF16_UNIT_MAX = 3;
/** Control characters, lone surrogates and line breaks have no visible form. */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[^\p{C}\p{Z}]/u;

/** Names that passed {@link parseName}: types, classes and verbs repeat. */
const knownNames = new Set<string>();

/** A type, class or verb: 1–128 visible characters, spaces allowed between them. */
export function parseName(value: unknown, path: FieldPath, field: string): string {
  if (typeof value === 'string' && knownNames.has(value)) return value;
  const name = visibleText(value, path, field, MODEL_LIMITS.nameCharactersMax);
  if (knownNames.size >= KNOWN_NAMES_MAX) knownNames.clear();
  knownNames.add(name);
  return name;
}

/** A connector, sync or write id: 1–256 visible characters. */
export function parseRequestId(value: unknown, path: FieldPath, field: string): string {
  return visibleText(value, path, field, MODEL_LIMITS.requestIdCharactersMax);
}

/** The key of an entity or relationship: 1–1,024 bytes of UTF-8, any character but NUL. */
export function parseKey(value: unknown, path: FieldPath, field: string): string {
  if (typeof value !== 'string') throw path.fault(field, `expected a string, got ${kindOf(value)}`);
  if (value === '') throw path.fault(field, 'expected at least 1 byte, got an empty string');
  if (value.length * BYTES_PER_UTF16_UNIT_MAX > MODEL_LIMITS.keyBytesMax) refuseLongKey(value, path, field);
  if (value.includes('\0')) throw path.fault(field, 'NUL is not allowed');
  if (!value.isWellFormed()) throw path.fault(field, 'lone surrogate in the text');
  return value;
}

function refuseLongKey(value: string, path: FieldPath, field: string): void {
  const bytes = Buffer.byteLength(value, 'utf8');
  if (bytes <= MODEL_LIMITS.keyBytesMax) return;
  throw path.fault(field, `expected at most ${String(MODEL_LIMITS.keyBytesMax)} bytes, got ${String(bytes)}`);
}

/** Any well-formed text up to `lengthMax` UTF-16 units. */
export function parseText(value: unknown, path: FieldPath, field: string, lengthMax: number): string {
  if (typeof value !== 'string') throw path.fault(field, `expected a string, got ${kindOf(value)}`);
  if (value.length > lengthMax) {
    throw path.fault(field, `expected at most ${String(lengthMax)} characters, got ${String(value.length)}`);
  }
  if (!value.isWellFormed()) throw path.fault(field, 'lone surrogate in the text');
  return value;
}

function visibleText(value: unknown, path: FieldPath, field: string, charactersMax: number): string {
  if (typeof value !== 'string') throw path.fault(field, `expected a string, got ${kindOf(value)}`);
  if (INVISIBLE.test(value))
    throw path.fault(field, 'control characters, line breaks and lone surrogates are not allowed');
  if (!VISIBLE.test(value)) throw path.fault(field, 'expected at least 1 visible character');
  if (value.length > charactersMax && Array.from(value).length > charactersMax) {
    throw path.fault(field, `expected at most ${String(charactersMax)} characters`);
  }
  return value;
}
