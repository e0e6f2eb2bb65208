/** Applies stored records of entities and relationships to memory. */
import { decodeHeadBytes, type GraphWriter } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import { readEntityValue, readRelationshipValue } from '../record/content-record.ts';
import type { LastSeen } from '../record/last-seen-record.ts';
import { readEntityKey, readRelationshipKey } from '../record/record-key.ts';
import { PrefixDecoder, type RecordPrefix } from '../record/record-prefix.ts';

/** A record of an entity or relationship; a deleted one is a tombstone with the last content. */
export interface GraphRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly isDeleted: boolean;
}

export class RecordApplication {
  readonly #memory: GraphWriter;
  readonly #prefixes = new PrefixDecoder();

  constructor(memory: GraphWriter) {
    this.#memory = memory;
  }

  putEntity(seq: number, record: GraphRecord, lastSeen?: LastSeen): void {
    const { head, ...prefix } = readEntityValue(record.value, this.#prefixes);
    const input = decodeHeadBytes(head);
    const { stamp, owners } = seenAt(prefix, lastSeen);
    const node = this.#memory.putEntity(seq, { id: input.id, head, input, stamp, owners });
    if (record.isDeleted) this.#memory.deleteEntity(seq, node, prefix.stamp);
  }

  /** Ignores the last-seen records of missing and deleted records. */
  touchEntity(seq: number, key: Uint8Array, lastSeen: LastSeen): void {
    const { type, key: name } = readEntityKey(key);
    const node = this.#memory.findEntity(entityId(type, name));
    const state = node < 0 ? undefined : this.#memory.entityState(node);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchEntity(seq, node, seenAt(state, lastSeen));
  }

  /** A tombstone that outlived those of its entities is skipped: it is unreachable. */
  putRelationship(seq: number, record: GraphRecord, lastSeen?: LastSeen): void {
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
    const link = this.#memory.putRelationship(seq, version);
    if (record.isDeleted) this.#memory.deleteRelationship(seq, link, prefix.stamp);
  }

  touchRelationship(seq: number, key: Uint8Array, lastSeen: LastSeen): void {
    const { from, verb, to, key: own } = readRelationshipKey(key);
    const id = relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), own);
    const link = this.#memory.findRelationship(id);
    const state = link < 0 ? undefined : this.#memory.relationshipState(link);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchRelationship(seq, link, seenAt(state, lastSeen));
  }
}

function seenAt(prefix: RecordPrefix, lastSeen: LastSeen | undefined): RecordPrefix {
  if (lastSeen === undefined) return prefix;
  return { stamp: { ...prefix.stamp, lastSeenAtMs: lastSeen.lastSeenAtMs }, owners: lastSeen.owners };
}
