/** What a record was at a moment: its fields by name, and who had written it last. */
import { decodeHeadBytes, decodePropertiesBytes, type Stamp } from '#graph/memory';
import type { Entity, Properties, PropertyValue, Relationship, Source } from '#graph/model';
import { readEntityValue, readRelationshipValue } from '../record/content-record.ts';
import type { FormerRecord } from '../record/history-record.ts';
import { RECORD_KIND } from '../record/record-key.ts';
import type { PrefixDecoder } from '../record/record-prefix.ts';

export interface RecordState {
  /** Properties, and the record's own: `class`, `display_name`, `_labels`; of a relationship `_verb`. */
  readonly fields: ReadonlyMap<string, PropertyValue>;
  readonly source: Source;
}

/** Undefined for a record that did not exist, or was deleted. */
export function formerState(record: FormerRecord, prefixes: PrefixDecoder): RecordState | undefined {
  if (record.was !== 'live') return undefined;
  if (record.key[0] === RECORD_KIND.entity) {
    const { stamp, head } = readEntityValue(record.value, prefixes);
    const { class: name, displayName, labels, properties } = decodeHeadBytes(head);
    return {
      fields: entityFields({ class: name, displayName, labels, properties }),
      source: sourceOf(stamp),
    };
  }
  const { stamp, verb, propertiesJson } = readRelationshipValue(record.value, prefixes);
  const properties = decodePropertiesBytes(propertiesJson);
  return { fields: relationshipFields(verb, properties), source: sourceOf(stamp) };
}

export function stateOfEntity(entity: Entity): RecordState {
  return { fields: entityFields({ ...entity, displayName: entity.display_name }), source: entity.source };
}

export function stateOfRelationship({ verb, properties, source }: Relationship): RecordState {
  return { fields: relationshipFields(verb, properties), source };
}

/** Names of the fields that differ between two states, sorted; a missing state has none. */
export function differingFields(a: RecordState | undefined, b: RecordState | undefined): readonly string[] {
  const names = new Set([...(a?.fields.keys() ?? []), ...(b?.fields.keys() ?? [])]);
  return [...names].filter((name) => !isSame(a?.fields.get(name), b?.fields.get(name))).sort();
}

function isSame(a: PropertyValue | undefined, b: PropertyValue | undefined): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

function entityFields(entity: {
  readonly class: string;
  readonly displayName: string;
  readonly labels?: readonly string[] | undefined;
  readonly properties: Properties;
}): ReadonlyMap<string, PropertyValue> {
  const fields = new Map<string, PropertyValue>(Object.entries(entity.properties));
  fields.set('class', entity.class).set('display_name', entity.displayName);
  if (entity.labels !== undefined) fields.set('_labels', entity.labels);
  return fields;
}

function relationshipFields(verb: string, properties: Properties): ReadonlyMap<string, PropertyValue> {
  return new Map<string, PropertyValue>(Object.entries(properties)).set('_verb', verb);
}

function sourceOf({ connectorId, syncId, syncedAtMs }: Stamp): Source {
  return {
    connector_id: connectorId,
    sync_id: syncId,
    synced_at: new Date(syncedAtMs).toISOString(),
  };
}
