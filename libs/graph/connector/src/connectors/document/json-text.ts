import { FieldPath, isAbsent, type JsonObject, jsonObject, kindOf } from '#graph/model';
import type { Disk } from '#platform/disk';
import { DomainError, parseExactJson, utf8Text } from '#platform/foundation';

const LONG_INTEGER = /\d{16}/;

/**
 * The text of a JSON file. Throws INVALID_REQUEST if it is not UTF-8: with replacement characters, different
 * names would become one.
 */
export async function readJsonText(disk: Disk, path: string): Promise<string> {
  const text = utf8Text(await disk.readBytes(path));
  if (text !== undefined) return text;
  throw new DomainError('INVALID_REQUEST', 'expected UTF-8, got a file in another encoding');
}

/** Parses a JSON object; throws INVALID_REQUEST. `what` describes the expected document. */
export function parseJsonObject(text: string, what: string): JsonObject {
  return jsonObject(parseJson(text, what), new FieldPath());
}

/** Like {@link parseJsonObject}, for any value. */
export function parseJson(text: string, what: string): unknown {
  try {
    return exactOr(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new DomainError('INVALID_REQUEST', `expected ${what}, got text that is not JSON`, { cause });
  }
}

/** Integers beyond the exact range become bigints; the slower parser runs only if there may be any. */
function exactOr(text: string): unknown {
  return LONG_INTEGER.test(text) ? parseExactJson(text) : (JSON.parse(text) as unknown);
}

/** A list of objects under a name; absent is empty. */
export function objectsIn(object: JsonObject, name: string, path: FieldPath): readonly JsonObject[] {
  const list = object[name];
  if (isAbsent(list)) return [];
  if (!Array.isArray(list)) throw path.fault(name, `expected a list, got ${kindOf(list)}`);
  return list.map((item: unknown, index) => jsonObject(item, path, `${name}[${index}]`));
}

/** A required, non-empty text. */
export function textIn(object: JsonObject, name: string, path: FieldPath): string {
  const value = object[name];
  if (typeof value === 'string' && value !== '') return value;
  throw path.fault(name, `expected a text, got ${value === '' ? 'an empty one' : kindOf(value)}`);
}

/** A text, or undefined for anything else. */
export function textOr(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
