/**
 * Values of entity and relationship records: the prefix, then the content in the form used in memory.
 *
 *   entity         JSON head to the end: `{"id":…,"type":…,…,"properties":{…}`, without the closing brace
 *   relationship   u16 length of the verb, the verb as written; then the properties as JSON to the end
 */
import { RecordReader } from './record-reader.ts';
import type { RecordWriter } from './record-writer.ts';
import type { PrefixDecoder, RecordPrefix } from './record-prefix.ts';

export interface EntityRecord extends RecordPrefix {
  readonly head: Uint8Array;
}

export interface RelationshipRecord extends RecordPrefix {
  readonly verb: string;
  readonly propertiesJson: Uint8Array;
}

export function writeEntityValue(into: RecordWriter, prefix: Uint8Array, head: Uint8Array): RecordWriter {
  return into.bytes(prefix).bytes(head);
}

export function writeRelationshipValue(
  into: RecordWriter,
  prefix: Uint8Array,
  content: { readonly verb: string; readonly propertiesJson: Uint8Array },
): RecordWriter {
  return into.bytes(prefix).shortText(content.verb).bytes(content.propertiesJson);
}

export function readEntityValue(value: Uint8Array, prefixes: PrefixDecoder): EntityRecord {
  const reader = new RecordReader(value);
  const { stamp, owners } = prefixes.decode(reader);
  return { stamp, owners, head: reader.rest() };
}

export function readRelationshipValue(value: Uint8Array, prefixes: PrefixDecoder): RelationshipRecord {
  const reader = new RecordReader(value);
  const { stamp, owners } = prefixes.decode(reader);
  return { stamp, owners, verb: reader.shortText(), propertiesJson: reader.rest() };
}
