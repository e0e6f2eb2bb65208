import { FieldPath, isAbsent, type JsonObject, jsonObject, kindOf } from '#graph/model';
import { DomainError, parseExactJson } from '#platform/foundation';

const LONG_INTEGER = /\d{16}/;

/** The object that a text of JSON is; throws INVALID_REQUEST. `what` says what was expected. */
export function parseJsonObject(text: string, what: string): JsonObject {
  let value: unknown;
  try {
    value = exactOr(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new DomainError('INVALID_REQUEST', `expected ${what}, got text that is no JSON`, { cause });
  }
  return jsonObject(value, new FieldPath());
}

/** Integers that a number would round are bigints; looking for them takes time, where there may be any. */
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

/** A text that must not be missing or empty. */
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
