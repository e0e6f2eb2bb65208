import { entityId, relationshipId } from '#graph/model';
import type { Storage } from '#graph/storage';
import { keyParts, readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import { SourceTable } from '../source/source-table.ts';
import { decodePriority } from '../source/statement-record.ts';

/** What several sources state, and the priorities of all, as the store has them. */
export async function loadSources(storage: Storage): Promise<SourceTable> {
  const table = new SourceTable();
  for await (const chunk of storage.scan(Uint8Array.of(RECORD_KIND.statements))) {
    for (const { key, value } of chunk) {
      table.restore(recordId(key.subarray(1)), Buffer.from(value).toString('utf8'));
    }
  }
  for await (const chunk of storage.scan(Uint8Array.of(RECORD_KIND.connector))) {
    for (const { key, value } of chunk) {
      table.restorePriority(keyParts(key).join('\0'), decodePriority(value));
    }
  }
  return table;
}

function recordId(recordKey: Uint8Array): string {
  if (recordKey[0] === RECORD_KIND.entity) {
    const { type, key } = readEntityKey(recordKey);
    return entityId(type, key);
  }
  const { from, verb, to, key } = readRelationshipKey(recordKey);
  return relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), key);
}
