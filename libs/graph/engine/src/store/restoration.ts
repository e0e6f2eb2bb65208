/**
 * Brings the records that memory does not yet know into it: all of them, or those later than its image.
 * Entities come before relationships, which stand on them. Everything is applied as of the last sequence
 * number: nobody reads while a graph opens.
 */
import { entityId, relationshipId } from '#graph/model';
import type { Storage, StoredRecord } from '#graph/storage';
import { decodeHeadBytes } from '../memory/head/item-head.ts';
import type { MemoryGraph } from '../memory/memory-graph.ts';
import { readEntityValue, readRelationshipValue } from '../record/content-record.ts';
import type { LastSeen } from '../record/last-seen-record.ts';
import { RECORD_KIND, readEntityKey, readRelationshipKey } from '../record/record-key.ts';
import { PrefixDecoder, type RecordPrefix } from '../record/record-prefix.ts';
import { type MergedRecord, mergedRecords } from './merged-records.ts';

export class Restoration {
  readonly #storage: Storage;
  readonly #memory: MemoryGraph;
  readonly #seq: number;
  readonly #prefixes = new PrefixDecoder();
  #records = 0;

  constructor(storage: Storage, memory: MemoryGraph) {
    this.#storage = storage;
    this.#memory = memory;
    this.#seq = storage.seq;
  }

  /** Resolves to the number of records applied. */
  async run(sinceSeq: number): Promise<number> {
    if (sinceSeq >= this.#seq) return 0;
    const options = { sinceSeq, includeDeleted: true };
    const { entity, relationship } = RECORD_KIND;
    for await (const chunk of mergedRecords(this.#storage, entity, options)) this.#entities(chunk);
    for await (const chunk of mergedRecords(this.#storage, relationship, options)) this.#relationships(chunk);
    return this.#records;
  }

  #entities(chunk: readonly MergedRecord[]): void {
    for (const { key, record, lastSeen } of chunk) {
      this.#records++;
      if (record !== undefined) this.#putEntity(record, lastSeen);
      else if (lastSeen !== undefined) this.#touchEntity(key, lastSeen);
    }
  }

  #putEntity(record: StoredRecord, lastSeen: LastSeen | undefined): void {
    const { head, ...prefix } = readEntityValue(record.value, this.#prefixes);
    const input = decodeHeadBytes(head);
    const { stamp, owners } = seenAt(prefix, lastSeen);
    const node = this.#memory.putEntity(this.#seq, { id: input.id, head, input, stamp, owners });
    if (record.isDeleted) this.#memory.deleteEntity(this.#seq, node, prefix.stamp);
  }

  #touchEntity(key: Uint8Array, lastSeen: LastSeen): void {
    const { type, key: name } = readEntityKey(key);
    const node = this.#memory.findEntity(entityId(type, name));
    const state = node < 0 ? undefined : this.#memory.entityState(node);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchEntity(this.#seq, node, seenAt(state, lastSeen));
  }

  #relationships(chunk: readonly MergedRecord[]): void {
    for (const { key, record, lastSeen } of chunk) {
      this.#records++;
      if (record !== undefined) this.#putRelationship(record, lastSeen);
      else if (lastSeen !== undefined) this.#touchRelationship(key, lastSeen);
    }
  }

  /** A tombstone that outlived those of its entities is passed over: nobody can ask for it any more. */
  #putRelationship(record: StoredRecord, lastSeen: LastSeen | undefined): void {
    const name = readRelationshipKey(record.key);
    const fromId = entityId(name.from.type, name.from.key);
    const toId = entityId(name.to.type, name.to.key);
    const from = this.#memory.findEntity(fromId);
    const to = this.#memory.findEntity(toId);
    if (from < 0 || to < 0) return;
    const { verb, propertiesJson, ...prefix } = readRelationshipValue(record.value, this.#prefixes);
    const id = relationshipId(fromId, verb, toId, name.key);
    const { stamp, owners } = seenAt(prefix, lastSeen);
    const version = { id, from, to, verb, key: name.key, propertiesJson, stamp, owners };
    const link = this.#memory.putRelationship(this.#seq, version);
    if (record.isDeleted) this.#memory.deleteRelationship(this.#seq, link, prefix.stamp);
  }

  #touchRelationship(key: Uint8Array, lastSeen: LastSeen): void {
    const { from, verb, to, key: own } = readRelationshipKey(key);
    const id = relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), own);
    const link = this.#memory.findRelationship(id);
    const state = link < 0 ? undefined : this.#memory.relationshipState(link);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchRelationship(this.#seq, link, seenAt(state, lastSeen));
  }
}

function seenAt(prefix: RecordPrefix, lastSeen: LastSeen | undefined): RecordPrefix {
  if (lastSeen === undefined) return prefix;
  return { stamp: { ...prefix.stamp, lastSeenAtMs: lastSeen.lastSeenAtMs }, owners: lastSeen.owners };
}
