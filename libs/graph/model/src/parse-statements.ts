import { type FieldPath, kindOf } from './field-path.ts';
import type { EntityKey, EntityStatement, RelationshipInput, RelationshipKey } from './ingest.ts';
import { isAbsent, jsonObject, type JsonObject, refuseUnknownFields } from './json-object.ts';
import { MODEL_LIMITS } from './limits.ts';
import { type ParseOptions, parseProperties } from './properties.ts';
import { UNLABELLED } from './reserved-names.ts';
import { parseKey, parseName, parseText } from './text.ts';

/** Additional fields of replies; ignored, so that an exported record can be sent back. */
const READ_ONLY_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'source',
  'created_at',
  'updated_at',
  'last_seen_at',
  'deleted_at',
  'version',
]);
const ENTITY_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'key',
  'class',
  'display_name',
  'labels',
  'properties',
]);
const KEY_FIELDS: ReadonlySet<string> = new Set(['from', 'verb', 'to', 'key']);
const RELATIONSHIP_FIELDS: ReadonlySet<string> = new Set([...KEY_FIELDS, 'properties']);
const NO_OPTIONS: ParseOptions = {};

/**
 * Parses `{type, key, class?, display_name?, labels?, properties?}`. Throws INVALID_REQUEST or
 * NESTED_PROPERTY.
 */
export function parseEntity(value: unknown, path: FieldPath, options = NO_OPTIONS): EntityStatement {
  const object = jsonObject(value, path);
  refuseUnknownRecordFields(object, ENTITY_FIELDS, path);
  return {
    type: parseFreeName(object['type'], path, 'type'),
    key: parseKey(object['key'], path, 'key'),
    class: isAbsent(object['class']) ? undefined : parseFreeName(object['class'], path, 'class'),
    displayName: isAbsent(object['display_name'])
      ? undefined
      : parseText(object['display_name'], path, 'display_name', MODEL_LIMITS.displayNameLengthMax),
    labels: isAbsent(object['labels']) ? undefined : parseLabels(object['labels'], path),
    ...parseProperties(object['properties'], path, options),
  };
}

/** Parses one end, `{type, key}`; ignores the `id` of replies. */
export function parseEntityKey(value: unknown, path: FieldPath, field: string): EntityKey {
  if (typeof value !== 'object' || value === null) {
    throw path.fault(field, `expected {type, key}, got ${kindOf(value)}`);
  }
  const object = jsonObject(value, path, field);
  for (const name in object) {
    if (name !== 'type' && name !== 'key' && name !== 'id')
      throw path.fault(`${field}.${name}`, 'unknown field');
  }
  return {
    type: parseName(object['type'], path, `${field}.type`),
    key: parseKey(object['key'], path, `${field}.key`),
  };
}

/** Parses `{from, verb, to, key?, properties?}`. Throws INVALID_REQUEST or NESTED_PROPERTY. */
export function parseRelationship(value: unknown, path: FieldPath, options = NO_OPTIONS): RelationshipInput {
  const object = jsonObject(value, path);
  refuseUnknownRecordFields(object, RELATIONSHIP_FIELDS, path);
  return {
    from: parseEntityKey(object['from'], path, 'from'),
    verb: parseName(object['verb'], path, 'verb'),
    to: parseEntityKey(object['to'], path, 'to'),
    key: keyOf(object, path),
    ...parseProperties(object['properties'], path, options),
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

/** The name of an entity, which must not be reserved. */
function parseFreeName(value: unknown, path: FieldPath, field: string): string {
  const name = parseName(value, path, field);
  if (name === UNLABELLED)
    throw path.fault(field, `the name ${UNLABELLED} is reserved for entities without labels`);
  return name;
}

/** A list of names as a set: sorted, each once. */
function parseLabels(value: unknown, path: FieldPath): readonly string[] {
  if (!Array.isArray(value)) throw path.fault('labels', `expected a list of names, got ${kindOf(value)}`);
  const labels = new Set<string>();
  for (let index = 0; index < value.length; index++) {
    labels.add(parseFreeName(value[index], path, `labels[${String(index)}]`));
    if (labels.size > MODEL_LIMITS.labelsMax) {
      throw path.fault('labels', `expected at most ${String(MODEL_LIMITS.labelsMax)} names, got more`);
    }
  }
  return [...labels].sort();
}

function keyOf(object: JsonObject, path: FieldPath): string | undefined {
  return isAbsent(object['key']) ? undefined : parseKey(object['key'], path, 'key');
}

/** Rejects a field that neither records nor replies have. */
function refuseUnknownRecordFields(
  object: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  path: FieldPath,
): void {
  for (const name in object) {
    if (!known.has(name) && !READ_ONLY_FIELDS.has(name)) {
      throw path.fault(name, 'unknown field (data of your own belongs into properties)');
    }
  }
}
