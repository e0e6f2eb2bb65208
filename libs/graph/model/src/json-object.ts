import { type FieldPath, kindOf } from './field-path.ts';

/** A parsed JSON object with unchecked fields. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object; throws INVALID_REQUEST for anything else, lists included. */
export function jsonObject(value: unknown, path: FieldPath, field = ''): JsonObject {
  if (isJsonObject(value)) return value;
  throw path.fault(field, `expected an object, got ${kindOf(value)}`);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an optional field is missing: absent and null are equivalent. */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Rejects an unknown field: a typo must not lose data. */
export function refuseUnknownFields(object: JsonObject, known: ReadonlySet<string>, path: FieldPath): void {
  for (const name in object) {
    if (!known.has(name)) throw path.fault(name, 'unknown field');
  }
}
