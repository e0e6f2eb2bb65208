/**
 * Parses the bodies of REST (snake_case), large ones in steps. Each function throws INVALID_REQUEST or
 * NESTED_PROPERTY with the name of the field.
 */
import {
  FieldPath,
  isAbsent,
  jsonObject,
  type JsonObject,
  kindOf,
  parseEntity,
  parseEntityKey,
  parseKey,
  parseName,
  type ParseOptions,
  type PartialRelationships,
  parseRelationship,
  parseRelationshipKey,
  parseRequestId,
  refuseUnknownFields,
  type RelationshipEnd,
} from '#graph/model';
import { completed, type Steps } from '#platform/foundation';
import type {
  BulkOperation,
  DeleteRequest,
  EntityReference,
  RelationshipReference,
  SafetyValve,
  SessionBatch,
  SyncMode,
  SyncRequest,
  SyncScope,
  WriteRequest,
} from './requests.ts';

const RECORDS_FIELDS = ['entities', 'relationships'];
const SCOPE_FIELDS = [
  'connector_id',
  'sync_id',
  'mode',
  'partial_types',
  'partial_relationships',
  'priority',
];
const PARTIAL_FIELDS = new Set(['verb', 'end', 'type', 'key']);
const VALVE_FIELDS = ['force', 'max_delete_ratio'];
const WRITE_FIELDS = new Set([...RECORDS_FIELDS, 'write_id', 'connector_id', 'delete']);
const SYNC_FIELDS = new Set([...RECORDS_FIELDS, ...SCOPE_FIELDS, ...VALVE_FIELDS]);
const ID = /^[0-9a-f]{32}$/;
const ROOT = new FieldPath();
/** Records of some kilobytes take a millisecond. */
const ITEMS_A_STEP = 64;

/** `{write_id?, connector_id?, entities?, relationships?, delete?: {entities?, relationships?}}`. */
export function* parseWriteRequest(body: unknown, options: ParseOptions = {}): Steps<WriteRequest> {
  const object = bodyObject(body, WRITE_FIELDS);
  return {
    writeId: optionalRequestId(object, 'write_id'),
    connectorId: optionalRequestId(object, 'connector_id'),
    ...(yield* parseRecords(object, options)),
    delete: isAbsent(object['delete']) ? undefined : yield* parseDelete(object['delete']),
  };
}

/** The fields of {@link parseSyncScope} and {@link parseSafetyValve}, and `{entities?, relationships?}`. */
export function* parseSyncRequest(body: unknown, options: ParseOptions = {}): Steps<SyncRequest> {
  const object = bodyObject(body, SYNC_FIELDS);
  const scope = yield* scopeOf(object);
  return { ...scope, ...valveOf(object), ...(yield* parseRecords(object, options)) };
}

/** `{connector_id, sync_id, mode?, partial_types?, partial_relationships?, priority?}`. */
export function parseSyncScope(body: unknown): SyncScope {
  return completed(scopeOf(bodyObject(body, new Set(SCOPE_FIELDS))));
}

/** `{force?, max_delete_ratio?}`; may be missing. */
export function parseSafetyValve(body: unknown): SafetyValve {
  return isAbsent(body) ? {} : valveOf(bodyObject(body, new Set(VALVE_FIELDS)));
}

/** `{entities?, relationships?}`. */
export function* parseSessionBatch(body: unknown, options: ParseOptions = {}): Steps<SessionBatch> {
  return yield* parseRecords(bodyObject(body, new Set(RECORDS_FIELDS)), options);
}

/**
 * One line of a bulk load: `{op, …}` with the fields of the record next to `op`; a delete has an `id`, or
 * `{type, key}`, or `{from, verb, to, key?}`.
 */
export function parseBulkOperation(line: unknown, options: ParseOptions = {}): BulkOperation {
  const { op, ...record } = jsonObject(line, ROOT);
  switch (op) {
    case 'entity':
      return { op, entity: parseEntity(record, ROOT, options) };
    case 'relationship':
      return { op, relationship: parseRelationship(record, ROOT, options) };
    case 'delete_entity':
      return { op, entity: parseEntityReference(record['id'] ?? record, ROOT) };
    case 'delete_relationship':
      return { op, relationship: parseRelationshipReference(record['id'] ?? record, ROOT) };
    default:
      throw ROOT.fault('op', 'expected entity, relationship, delete_entity or delete_relationship');
  }
}

/** A connector id outside a body; undefined if it is omitted. */
export function parseConnectorId(value: unknown): string | undefined {
  return isAbsent(value) ? undefined : parseRequestId(value, ROOT, 'connector_id');
}

/** Whether the text has the form of an id: 32 lower-case hex digits. */
export function isId(text: string): boolean {
  return ID.test(text);
}

function bodyObject(body: unknown, known: ReadonlySet<string>): JsonObject {
  const object = jsonObject(body, ROOT);
  refuseUnknownFields(object, known, ROOT);
  return object;
}

function optionalRequestId(object: JsonObject, field: string): string | undefined {
  return isAbsent(object[field]) ? undefined : parseRequestId(object[field], ROOT, field);
}

function* parseRecords(object: JsonObject, options: ParseOptions): Steps<SessionBatch> {
  return {
    entities: yield* parseList(object['entities'], 'entities', (value, path) =>
      parseEntity(value, path, options),
    ),
    relationships: yield* parseList(object['relationships'], 'relationships', (value, path) =>
      parseRelationship(value, path, options),
    ),
  };
}

function* parseList<T>(
  value: unknown,
  field: string,
  parse: (value: unknown, path: FieldPath) => T,
): Steps<readonly T[]> {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw ROOT.fault(field, `expected a list, got ${kindOf(value)}`);
  const path = new FieldPath(field);
  const parsed: T[] = [];
  for (const [index, item] of (value as unknown[]).entries()) {
    if (index % ITEMS_A_STEP === ITEMS_A_STEP - 1) yield;
    path.index = index;
    parsed.push(parse(item, path));
  }
  return parsed;
}

function* parseDelete(value: unknown): Steps<DeleteRequest> {
  const object = jsonObject(value, new FieldPath('delete'));
  refuseUnknownFields(object, new Set(RECORDS_FIELDS), new FieldPath('delete'));
  return {
    entities: yield* parseList(object['entities'], 'delete.entities', parseEntityReference),
    relationships: yield* parseList(
      object['relationships'],
      'delete.relationships',
      parseRelationshipReference,
    ),
  };
}

function parseEntityReference(value: unknown, path: FieldPath): EntityReference {
  return typeof value === 'string' ? parseId(value, path) : parseEntityKey(value, path, '');
}

function parseRelationshipReference(value: unknown, path: FieldPath): RelationshipReference {
  return typeof value === 'string' ? parseId(value, path) : parseRelationshipKey(value, path);
}

function parseId(value: string, path: FieldPath): string {
  if (isId(value)) return value;
  throw path.fault('', 'expected an id of 32 lower-case hex digits');
}

function* scopeOf(object: JsonObject): Steps<SyncScope> {
  return {
    connectorId: parseRequestId(object['connector_id'], ROOT, 'connector_id'),
    syncId: parseRequestId(object['sync_id'], ROOT, 'sync_id'),
    mode: modeOf(object['mode']),
    partialTypes: yield* parseList(object['partial_types'], 'partial_types', (value, path) =>
      parseRequestId(value, path, ''),
    ),
    partialRelationships: yield* parseList(
      object['partial_relationships'],
      'partial_relationships',
      parsePartialRelationships,
    ),
    priority: priorityOf(object['priority']),
  };
}

/** `{verb, end, type, key}`. */
function parsePartialRelationships(value: unknown, path: FieldPath): PartialRelationships {
  const object = jsonObject(value, path);
  refuseUnknownFields(object, PARTIAL_FIELDS, path);
  const { verb, end, type, key } = object;
  return {
    verb: parseName(verb, path, 'verb'),
    end: endOf(end, path),
    type: parseName(type, path, 'type'),
    key: parseKey(key, path, 'key'),
  };
}

function endOf(value: unknown, path: FieldPath): RelationshipEnd {
  if (value === 'from' || value === 'to') return value;
  throw path.fault('end', 'expected from or to');
}

function priorityOf(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  const got = typeof value === 'number' ? 'another number' : kindOf(value);
  throw ROOT.fault('priority', `expected an integer, got ${got}`);
}

function modeOf(value: unknown): SyncMode {
  if (isAbsent(value)) return 'diff';
  if (value === 'diff' || value === 'patch') return value;
  throw ROOT.fault('mode', 'expected diff or patch');
}

function valveOf(object: JsonObject): SafetyValve {
  const { force, max_delete_ratio: ratio } = object;
  if (!isAbsent(force) && typeof force !== 'boolean') {
    throw ROOT.fault('force', `expected a boolean, got ${kindOf(force)}`);
  }
  if (!isAbsent(ratio) && !(typeof ratio === 'number' && ratio >= 0 && ratio <= 1)) {
    throw ROOT.fault('max_delete_ratio', 'expected a number from 0 to 1');
  }
  return { force: force ?? undefined, maxDeleteRatio: ratio ?? undefined };
}
