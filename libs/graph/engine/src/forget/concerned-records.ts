/** The stored records of an entity and of its relationships, live and deleted. */
import { decodeHeadBytes, NEVER_MS } from '#graph/memory';
import { entityId } from '#graph/model';
import type { BatchWriter, Store, StoredRecord } from '#graph/storage';
import { readEntityValue } from '../record/content-record.ts';
import { readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import { PrefixDecoder, setDeletedAt } from '../record/record-prefix.ts';
import { recordId } from '../store/record-sources.ts';
import type { EntityNames } from '../erasure/erasure.ts';

const { entity, relationship, lastSeen, statements } = RECORD_KIND;
const NOTHING = new Uint8Array(0);

/** A tombstone to put over what a record has left. */
export interface ExpiredRecord {
  /** Of the entity or relationship. */
  readonly id: string;
  readonly write: (batch: BatchWriter) => void;
}

/** Whether the record of this key is the entity, or a relationship of it. */
export function concerns(id: string, recordKey: Uint8Array): boolean {
  if (recordKey[0] === entity) return recordId(recordKey) === id;
  if (recordKey[0] !== relationship) return false;
  const { from, to } = readRelationshipKey(recordKey);
  return entityId(from.type, from.key) === id || entityId(to.type, to.key) === id;
}

/** What the store has of an entity. */
export interface ConcernedRecords {
  /** Ids of the records of the entity and its relationships, deleted ones too. */
  readonly ids: ReadonlySet<string>;
  /** Undefined if it has none. */
  readonly names: EntityNames | undefined;
}

export async function concernedRecords(storage: Store, id: string): Promise<ConcernedRecords> {
  const ids = new Set<string>();
  let names: EntityNames | undefined;
  for await (const { key, value } of concerned(storage, id, [entity, relationship])) {
    ids.add(recordId(key));
    // Records of entities come first.
    names ??= namesBy(key, id, value);
  }
  return { ids, names };
}

/** What a record of the entity, or of a relationship of it, calls it; without a value by its key alone. */
export function namesBy(recordKey: Uint8Array, id: string, value?: Uint8Array): EntityNames {
  if (recordKey[0] === entity) {
    const { type, key } = readEntityKey(recordKey);
    const head = value && readEntityValue(value, new PrefixDecoder()).head;
    return { type, key, displayName: head === undefined ? key : decodeHeadBytes(head).displayName };
  }
  const { from, to } = readRelationshipKey(recordKey);
  const { type, key } = entityId(from.type, from.key) === id ? from : to;
  return { type, key, displayName: key };
}

/**
 * Puts tombstones that expire at once over those up to a batch, chunk by chunk: records that memory has
 * forgotten, but no merge has purged yet. A restart before the purge finds them deleted for ever.
 */
export async function* expired(storage: Store, id: string, upTo: number): AsyncGenerator<ExpiredRecord> {
  for await (const record of concerned(storage, id, [entity, relationship, lastSeen, statements])) {
    const { key, seq, isDeleted } = record;
    const isRecord = key[0] === entity || key[0] === relationship;
    if (seq >= upTo || (isRecord && !isDeleted)) continue;
    const [name, value] = [key.slice(), isRecord ? setDeletedAt(record.value, NEVER_MS) : NOTHING];
    yield {
      id: recordId(isRecord ? name : name.subarray(1)),
      write: (batch) => {
        batch.delete(name, value, 0);
      },
    };
  }
}

async function* concerned(
  storage: Store,
  id: string,
  kinds: readonly number[],
): AsyncGenerator<StoredRecord> {
  for (const kind of kinds) {
    const start = kind === lastSeen || kind === statements ? 1 : 0;
    for await (const chunk of storage.scan(Uint8Array.of(kind), { includeDeleted: true })) {
      for (const record of chunk) if (concerns(id, record.key.subarray(start))) yield record;
    }
  }
}
