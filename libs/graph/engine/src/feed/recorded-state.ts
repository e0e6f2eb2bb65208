/** What a record was, decoded from its history or read from a snapshot, in the shape of replies. */
import {
  decodeHeadBytes,
  decodePropertiesBytes,
  type GraphSnapshot,
  type Stamp,
  stampFields,
} from '#graph/memory';
import { type Entity, entityId, type PropertyValue, type Relationship, relationshipId } from '#graph/model';
import { readEntityValue, readRelationshipValue } from '../record/content-record.ts';
import type { FormerRecord } from '../record/history-record.ts';
import { readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import type { PrefixDecoder } from '../record/record-prefix.ts';

/** A live record. */
export type RecordedState =
  | { readonly entity: Entity; readonly relationship?: undefined }
  | { readonly entity?: undefined; readonly relationship: Relationship };

/** One field that differs; `old` or `new` is absent where the field was. */
export interface FieldChange {
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

/** The fields in which two states differ, the record's own first; of a missing state none is there. */
export function fieldChanges(
  before: RecordedState | undefined,
  after: RecordedState | undefined,
): readonly FieldChange[] {
  const [old, now] = [before, after].map((state) => (state === undefined ? new Map() : fieldsOf(state))) as [
    Fields,
    Fields,
  ];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((name) => {
    const [was, is] = [old.get(name), now.get(name)];
    if (isSame(was, is)) return [];
    return [{ name, ...(was !== undefined && { old: was }), ...(is !== undefined && { new: is }) }];
  });
}

type Fields = ReadonlyMap<string, PropertyValue>;

function fieldsOf({ entity, relationship }: RecordedState): Fields {
  const own: readonly (readonly [string, PropertyValue | undefined])[] =
    entity === undefined
      ? [['_verb', relationship.verb]]
      : [
          ['class', entity.class],
          ['display_name', entity.display_name],
          ['_labels', entity.labels],
        ];
  const { properties } = entity ?? relationship;
  const fields = [...own, ...Object.entries(properties)];
  return new Map(fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
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
