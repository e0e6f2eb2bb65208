/**
 * Keys of the store, by their first byte. Parts are separated by NUL, which no part may contain.
 *
 *   E type NUL key                                           entity
 *   R fromType NUL fromKey NUL VERB NUL toType NUL toKey [NUL key]   relationship; the verb in upper case
 *   L <key of an E or R record>                              last seen, owners
 *   T <key of an E or R record>                              statements of its sources
 *   C connector                                              a source's priority
 *   S connector NUL sync                                     reply of a sync
 *   W write                                                  reply of a write
 *   N session [NUL batch number, 8 digits]                   session, one of its batches
 *   P namespace NUL id                                       document of another owner
 *   A                                                        who made the last change that has a name
 *   F entity id                                              an entity that was forgotten
 *   H [sequence number, u64, and part, u32, both big-endian]   history
 *   I                                                        id of the last batch in a copy of a shared store
 */
import type { EntityKey, RelationshipKey } from '#graph/model';
import type { RecordWriter } from './record-writer.ts';

export const RECORD_KIND = {
  author: 0x41,
  connector: 0x43,
  entity: 0x45,
  forgotten: 0x46,
  history: 0x48,
  lastSeen: 0x4c,
  session: 0x4e,
  document: 0x50,
  relationship: 0x52,
  syncReply: 0x53,
  statements: 0x54,
  writeReply: 0x57,
} as const;

const NUL = '\0';

/** The key as a text for maps: one character a byte, in the same order. */
export function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1');
}

/** One record: each batch of a named caller puts it first, so that the log says whose each batch is. */
export const AUTHOR_KEY: Uint8Array = Uint8Array.of(RECORD_KIND.author);

export function writeEntityKey(into: RecordWriter, type: string, key: string): RecordWriter {
  return into.u8(RECORD_KIND.entity).text(type).u8(0).text(key);
}

export function writeRelationshipKey(into: RecordWriter, name: RelationshipKey): RecordWriter {
  const { from, to } = name;
  into.u8(RECORD_KIND.relationship).text(from.type).u8(0).text(from.key).u8(0).text(name.verb.toUpperCase());
  into.u8(0).text(to.type).u8(0).text(to.key);
  return name.key === undefined ? into : into.u8(0).text(name.key);
}

/** The key of the last-seen record of an entity or relationship. */
export function writeLastSeenKey(into: RecordWriter, recordKey: Uint8Array): RecordWriter {
  return into.u8(RECORD_KIND.lastSeen).bytes(recordKey);
}

/** The key of the record of statements of an entity or relationship. */
export function writeStatementsKey(into: RecordWriter, recordKey: Uint8Array): RecordWriter {
  return into.u8(RECORD_KIND.statements).bytes(recordKey);
}

/** A key of any other kind. */
export function textKey(kind: number, ...parts: readonly string[]): Uint8Array {
  return Buffer.from(String.fromCharCode(kind) + parts.join(NUL), 'utf8');
}

/** Whether the record is the stored reply of a write or a sync, which repeated requests get. */
export function isReplyKey(key: Uint8Array): boolean {
  return key[0] === RECORD_KIND.writeReply || key[0] === RECORD_KIND.syncReply;
}

/** The parts of any key, without its kind. */
export function keyParts(key: Uint8Array, start = 1): string[] {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('utf8', start).split(NUL);
}

export function readEntityKey(key: Uint8Array): EntityKey {
  const [type = '', entityKey = ''] = keyParts(key);
  return { type, key: entityKey };
}

/** Returns the verb in upper case. */
export function readRelationshipKey(key: Uint8Array): RelationshipKey {
  const [fromType = '', fromKey = '', verb = '', toType = '', toKey = '', own] = keyParts(key);
  return { from: { type: fromType, key: fromKey }, verb, to: { type: toType, key: toKey }, key: own };
}
