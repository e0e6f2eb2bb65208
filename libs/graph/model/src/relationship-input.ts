import { parseEntityKey, refuseUnknownRecordFields } from './entity-statement.ts';
import type { FieldPath } from './field-path.ts';
import type { RelationshipInput, RelationshipKey } from './ingest.ts';
import { isAbsent, type JsonObject, jsonObject, refuseUnknownFields } from './json-object.ts';
import { type ParseOptions, parseProperties } from './properties.ts';
import { parseKey, parseName } from './text.ts';

const KEY_FIELDS: ReadonlySet<string> = new Set(['from', 'verb', 'to', 'key']);
const RELATIONSHIP_FIELDS: ReadonlySet<string> = new Set([...KEY_FIELDS, 'properties']);
const NO_OPTIONS: ParseOptions = {};

/** Parses `{from, verb, to, key?, properties?}`. Throws INVALID_REQUEST or NESTED_PROPERTY. */
export function parseRelationship(value: unknown, path: FieldPath, options = NO_OPTIONS): RelationshipInput {
  const object = jsonObject(value, path);
  refuseUnknownRecordFields(object, RELATIONSHIP_FIELDS, path);
  return {
    from: parseEntityKey(object['from'], path, 'from'),
    verb: parseName(object['verb'], path, 'verb'),
    to: parseEntityKey(object['to'], path, 'to'),
    key: keyOf(object, path),
    properties: parseProperties(object['properties'], path, options),
  };
}

/** Parses `{from, verb, to, key?}`. */
export function parseRelationshipKey(value: unknown, path: FieldPath): RelationshipKey {
  const object = jsonObject(value, path);
  refuseUnknownFields(object, KEY_FIELDS, path);
  return {
    from: parseEntityKey(object['from'], path, 'from'),
    verb: parseName(object['verb'], path, 'verb'),
    to: parseEntityKey(object['to'], path, 'to'),
    key: keyOf(object, path),
  };
}

function keyOf(object: JsonObject, path: FieldPath): string | undefined {
  return isAbsent(object['key']) ? undefined : parseKey(object['key'], path, 'key');
}
