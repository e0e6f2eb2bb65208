/**
 * Values of entity and relationship records: the prefix, then the content, which the graph keeps as it
 * stands.
 *
 *   entity         JSON head to the end: `{"id":…,"type":…,…,"properties":{…}`, without the closing brace
 *   relationship   verb as written, behind its length (u16); then the properties as JSON to the end
 */
import { createProperties, type EntityInput, isAbsent, type Properties, type PropertyValue } from '#model';
import { ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { PrefixDecoder, RecordPrefix } from './record-prefix.ts';

export interface EntityRecord extends RecordPrefix {
  readonly head: Uint8Array;
}

export interface RelationshipRecord extends RecordPrefix {
  readonly verb: string;
  readonly propertiesJson: Uint8Array;
}

export function writeEntityValue(into: ByteWriter, prefix: Uint8Array, head: Uint8Array): ByteWriter {
  return into.bytes(prefix).bytes(head);
}

export function writeRelationshipValue(
  into: ByteWriter,
  prefix: Uint8Array,
  content: { readonly verb: string; readonly propertiesJson: Uint8Array },
): ByteWriter {
  return into.bytes(prefix).shortText(content.verb).bytes(content.propertiesJson);
}

export function readEntityValue(value: Uint8Array, prefixes: PrefixDecoder): EntityRecord {
  const reader = new ByteReader(value);
  const { stamp, owners } = prefixes.decode(reader);
  return { stamp, owners, head: reader.rest() };
}

export function readRelationshipValue(value: Uint8Array, prefixes: PrefixDecoder): RelationshipRecord {
  const reader = new ByteReader(value);
  const { stamp, owners } = prefixes.decode(reader);
  return { stamp, owners, verb: reader.shortText(), propertiesJson: reader.rest() };
}

interface HeadFields {
  readonly id: string;
  readonly type: string;
  readonly class: string;
  readonly key: string;
  readonly display_name: string;
  readonly properties: Record<string, PropertyValue>;
}

/** The entity that a JSON head tells of. */
export function parseHead(head: Uint8Array): EntityInput & { readonly id: string } {
  const fields = JSON.parse(`${Buffer.from(head).toString('utf8')}}`) as HeadFields;
  return {
    id: fields.id,
    type: fields.type,
    key: fields.key,
    class: fields.class,
    displayName: fields.display_name,
    properties: ownProperties(fields.properties),
  };
}

export function parsePropertiesJson(json: Uint8Array): Properties {
  return ownProperties(JSON.parse(Buffer.from(json).toString('utf8')) as Record<string, PropertyValue>);
}

/** `JSON.parse` makes `__proto__` an own property; the copy keeps it one and inherits nothing. */
function ownProperties(parsed: Record<string, PropertyValue>): Properties {
  const properties = createProperties();
  for (const name of Object.keys(parsed)) {
    const value = parsed[name];
    properties[name] = isAbsent(value) ? null : value;
  }
  return properties;
}
