/** What a record was, decoded from its history or read from a snapshot, in the shape of replies. */
import {
  decodeHeadBytes,
  decodePropertiesBytes,
  type GraphSnapshot,
  type Stamp,
  stampFields,
} from '#graph/memory';
import {
  type Entity,
  entityId,
  type PropertyValue,
  type Relationship,
  relationshipId,
  type Source,
} from '#graph/model';
import { readEntityValue, readRelationshipValue } from './content-record.ts';
import type { FormerRecord } from './history-record.ts';
import { readEntityKey, readRelationshipKey, RECORD_KIND } from './record-key.ts';
import type { PrefixDecoder } from './record-prefix.ts';

/** A live record. */
export type RecordedState =
  | { readonly entity: Entity; readonly relationship?: undefined }
  | { readonly entity?: undefined; readonly relationship: Relationship };

/** The content of a record, and who wrote it. */
export interface RecordedContent {
  /**
   * Properties, and the record's own: `class`, `display_name`, `_labels`; of a relationship `_verb`. A
   * property with one of these names, which Cypher can write, is `properties.<name>`, as in PQL.
   */
  readonly fields: ReadonlyMap<string, PropertyValue>;
  readonly source: Source;
}

export type ChangeKind = 'created' | 'changed' | 'deleted';

/** One field that differs; `old` or `new` is absent where the field was. */
export interface FieldValues {
  readonly name: string;
  readonly old?: PropertyValue;
  readonly new?: PropertyValue;
}

/** Undefined for a record that was not live. */
export function formerState(
  { key, was, value }: FormerRecord,
  prefixes: PrefixDecoder,
): RecordedState | undefined {
  if (was !== 'live') return undefined;
  if (key[0] !== RECORD_KIND.entity) return { relationship: formerRelationship(key, value, prefixes) };
  const { stamp, head } = readEntityValue(value, prefixes);
  const { id, type, class: className, displayName, labels, properties, key: own } = decodeHeadBytes(head);
  return {
    entity: {
      id,
      type,
      class: className,
      key: own,
      display_name: displayName,
      ...(labels !== undefined && { labels }),
      properties,
      ...stampFields(stamp),
    },
  };
}

/** The record of a key in a snapshot; undefined if it is not there. */
export function stateIn(snapshot: GraphSnapshot, key: Uint8Array): RecordedState | undefined {
  if (key[0] === RECORD_KIND.entity) {
    const { type, key: own } = readEntityKey(key);
    const node = snapshot.nodeById(entityId(type, own));
    return node < 0 ? undefined : { entity: snapshot.entity(node) };
  }
  const link = snapshot.linkById(namesOf(key).id);
  return link < 0 ? undefined : { relationship: snapshot.relationship(link) };
}

/** When and by whom a state was written and seen. */
export function stampOf({
  entity,
  relationship,
}: RecordedState): Pick<Entity, 'version' | 'updated_at' | 'last_seen_at' | 'source'> {
  return entity ?? relationship;
}

/** The state with another stamp. */
export function stamped({ entity, relationship }: RecordedState, stamp: Stamp): RecordedState {
  const fields = stampFields(stamp);
  return entity === undefined
    ? { relationship: { ...relationship, ...fields } }
    : { entity: { ...entity, ...fields } };
}

/** Undefined for a missing state. */
export function contentOf(state: RecordedState | undefined): RecordedContent | undefined {
  if (state === undefined) return undefined;
  const { entity, relationship } = state;
  const { properties, source } = entity ?? relationship;
  const fields = new Map<string, PropertyValue>();
  if (entity === undefined) fields.set('_verb', relationship.verb);
  else {
    fields.set('class', entity.class).set('display_name', entity.display_name);
    if (entity.labels !== undefined) fields.set('_labels', entity.labels);
  }
  const own = new Set(fields.keys());
  for (const [name, value] of Object.entries(properties))
    fields.set(own.has(name) ? `properties.${name}` : name, value);
  return { fields, source };
}

/** Names of the fields that differ between two contents, sorted; a missing one has none. */
export function differingFields(
  a: RecordedContent | undefined,
  b: RecordedContent | undefined,
): readonly string[] {
  const names = new Set([...(a?.fields.keys() ?? []), ...(b?.fields.keys() ?? [])]);
  return [...names].filter((name) => !isSame(a?.fields.get(name), b?.fields.get(name))).sort();
}

/** A field in two contents. */
export function fieldValues(
  name: string,
  before: RecordedContent | undefined,
  after: RecordedContent | undefined,
): FieldValues {
  const [old, now] = [before?.fields.get(name), after?.fields.get(name)];
  return { name, ...(old !== undefined && { old }), ...(now !== undefined && { new: now }) };
}

function isSame(a: PropertyValue | undefined, b: PropertyValue | undefined): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

function formerRelationship(key: Uint8Array, value: Uint8Array, prefixes: PrefixDecoder): Relationship {
  const { stamp, verb, propertiesJson } = readRelationshipValue(value, prefixes);
  const { id, from, to, own } = namesOf(key);
  return {
    id,
    verb,
    from,
    to,
    ...(own !== undefined && { key: own }),
    properties: decodePropertiesBytes(propertiesJson),
    ...stampFields(stamp),
  };
}

function namesOf(key: Uint8Array) {
  const { from, verb, to, key: own } = readRelationshipKey(key);
  const fromId = entityId(from.type, from.key);
  const toId = entityId(to.type, to.key);
  const id = relationshipId(fromId, verb, toId, own);
  return { id, from: { id: fromId, ...from }, to: { id: toId, ...to }, own };
}
