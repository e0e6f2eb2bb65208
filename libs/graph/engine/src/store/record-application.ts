/** Applies stored records of entities and relationships to memory. */
import { decodeHeadBytes, type GraphWriter } from '#graph/memory';
import { entityId, type EntityKey, relationshipId } from '#graph/model';
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
  #from: (EntityKey & { readonly id: string }) | undefined;

  constructor(memory: GraphWriter) {
    this.#memory = memory;
  }

  /** Returns the entity's node. */
  putEntity(seq: number, record: GraphRecord, lastSeen?: LastSeen): number {
    const { head, ...prefix } = readEntityValue(record.value, this.#prefixes);
    const input = decodeHeadBytes(head);
    const { stamp, owners } = seenAt(prefix, lastSeen);
    const node = this.#memory.putEntity(seq, { id: input.id, head, input, stamp, owners });
    if (record.isDeleted) this.#memory.deleteEntity(seq, node, prefix.stamp);
    return node;
  }

  /** Ignores the last-seen records of missing and deleted records. */
  touchEntity(seq: number, key: Uint8Array, lastSeen: LastSeen): void {
    const { type, key: name } = readEntityKey(key);
    const node = this.#memory.findEntity(entityId(type, name));
    const state = node < 0 ? undefined : this.#memory.entityState(node);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchEntity(seq, node, seenAt(state, lastSeen));
  }

  /** Returns its link; −1 for a tombstone that outlived those of its entities: it is unreachable. */
  putRelationship(seq: number, record: GraphRecord, lastSeen?: LastSeen): number {
    const name = readRelationshipKey(record.key);
    const fromId = this.#fromIdOf(name.from);
    const toId = entityId(name.to.type, name.to.key);
    const from = this.#memory.findEntity(fromId);
    const to = this.#memory.findEntity(toId);
    if (from < 0 || to < 0) return -1;
    const { verb, propertiesJson, ...prefix } = readRelationshipValue(record.value, this.#prefixes);
    const id = relationshipId(fromId, verb, toId, name.key);
    const { stamp, owners } = seenAt(prefix, lastSeen);
    const version = { id, from, to, verb, key: name.key, propertiesJson, stamp, owners };
    const link = this.#memory.putRelationship(seq, version);
    if (record.isDeleted) this.#memory.deleteRelationship(seq, link, prefix.stamp);
    return link;
  }

  touchRelationship(seq: number, key: Uint8Array, lastSeen: LastSeen): void {
    const { from, verb, to, key: own } = readRelationshipKey(key);
    const id = relationshipId(this.#fromIdOf(from), verb, entityId(to.type, to.key), own);
    const link = this.#memory.findRelationship(id);
    const state = link < 0 ? undefined : this.#memory.relationshipState(link);
    if (state === undefined || state.isDeleted) return;
    this.#memory.touchRelationship(seq, link, seenAt(state, lastSeen));
  }

  /** Neighbours are often relationships of one entity. */
  #fromIdOf({ type, key }: EntityKey): string {
    if (this.#from?.type !== type || this.#from.key !== key)
      this.#from = { type, key, id: entityId(type, key) };
    return this.#from.id;
  }
}

function seenAt(prefix: RecordPrefix, lastSeen: LastSeen | undefined): RecordPrefix {
  if (lastSeen === undefined) return prefix;
  return { stamp: { ...prefix.stamp, lastSeenAtMs: lastSeen.lastSeenAtMs }, owners: lastSeen.owners };
}
