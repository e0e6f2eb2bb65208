import { decodeHeadBytes } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import type { LogOperation } from '#graph/storage';
import { HORIZON_KEY, seqOf, TIME_PREFIX } from './history-record.ts';
import { readEntityValue, readRelationshipValue } from './content-record.ts';
import { AUTHOR_KEY, keyParts, readEntityKey, readRelationshipKey, RECORD_KIND } from './record-key.ts';
import { PrefixDecoder } from './record-prefix.ts';

/** Kinds described by their key, with the separator of its parts. */
const NAMED_KINDS: ReadonlyMap<number | undefined, readonly [name: string, separator: string]> = new Map([
  [RECORD_KIND.connector, ['priority of', ' ']],
  [RECORD_KIND.syncReply, ['sync', ' ']],
  [RECORD_KIND.writeReply, ['write', ' ']],
  [RECORD_KIND.session, ['session', ' batch ']],
  [RECORD_KIND.document, ['document', ' ']],
  [RECORD_KIND.forgotten, ['forgotten entity', ' ']],
]);

/**
 * A readable line for one operation of the log: `+ entity [host] Web 1 (id)`, `+ relationship [RUNS] a → b`,
 * `- entity id`, `~` for a last-seen record, and so on. Other bytes are described as an unknown record.
 */
export function describeOperation(key: Uint8Array, value: Uint8Array, isDelete: boolean): string {
  const sign = isDelete ? '-' : '+';
  switch (key[0]) {
    case RECORD_KIND.entity:
      return isDelete ? `- entity ${entityIdOf(key)}` : `+ entity ${entityText(value)}`;
    case RECORD_KIND.relationship:
      return isDelete ? `- relationship ${relationshipIdOf(key)}` : `+ relationship ${linkText(key, value)}`;
    case RECORD_KIND.lastSeen:
      return `${isDelete ? '-' : '~'} seen ${describeName(key.subarray(1))}`;
    case RECORD_KIND.statements:
      return `${sign} sources of ${describeName(key.subarray(1))}`;
    case RECORD_KIND.author:
      return `${sign} by ${Buffer.from(value).toString('utf8')}`;
    case RECORD_KIND.history:
      return `${sign} ${describeHistory(key)}`;
    default:
      return `${sign} ${namedRecord(key) ?? `unknown record of ${String(value.length)} bytes`}`;
  }
}

function describeHistory(key: Uint8Array): string {
  if (key.length === HORIZON_KEY.length) return 'beginning of the history';
  const isTime = Buffer.compare(key.subarray(0, TIME_PREFIX.length), TIME_PREFIX) === 0;
  return `${isTime ? 'time' : 'former records'} of batch ${String(seqOf(key))}`;
}

/** Who has made a batch; undefined where that had no name. */
export function authorOf(operations: Iterable<LogOperation>): string | undefined {
  for (const operation of operations) {
    const isAuthor = operation.kind === 'put' && Buffer.compare(operation.key, AUTHOR_KEY) === 0;
    return isAuthor ? Buffer.from(operation.value).toString('utf8') : undefined;
  }
  return undefined;
}

function namedRecord(key: Uint8Array): string | undefined {
  const named = NAMED_KINDS.get(key[0]);
  return named && `${named[0]} ${keyParts(key).join(named[1])}`;
}

function describeName(recordKey: Uint8Array): string {
  const isEntity = recordKey[0] === RECORD_KIND.entity;
  return isEntity ? `entity ${entityIdOf(recordKey)}` : `relationship ${relationshipIdOf(recordKey)}`;
}

function entityIdOf(key: Uint8Array): string {
  const { type, key: name } = readEntityKey(key);
  return entityId(type, name);
}

function relationshipIdOf(recordKey: Uint8Array): string {
  const { from, verb, to, key } = readRelationshipKey(recordKey);
  return relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key);
}

function entityText(value: Uint8Array): string {
  const { id, type, displayName } = decodeHeadBytes(readEntityValue(value, new PrefixDecoder()).head);
  return `[${type}] ${displayName} (${id})`;
}

function linkText(recordKey: Uint8Array, value: Uint8Array): string {
  const { from, to } = readRelationshipKey(recordKey);
  const { verb } = readRelationshipValue(value, new PrefixDecoder());
  return `[${verb}] ${from.key} → ${to.key}`;
}
