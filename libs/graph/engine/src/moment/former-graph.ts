/** Changes a copy of the graph back into what it was before some batches. */
import { type GraphWriter, type MomentGraph, NEVER_MS } from '#graph/memory';
import { entityId, relationshipId } from '#graph/model';
import type { Steps } from '#platform/foundation';
import { keyText, readEntityKey, readRelationshipKey, RECORD_KIND } from '../record/record-key.ts';
import { PrefixDecoder } from '../record/record-prefix.ts';
import { RecordReader } from '../record/record-reader.ts';
import { type GraphRecord, RecordApplication } from '../store/record-application.ts';
import type { FormerRecord } from '../record/history-record.ts';

const ROWS_PER_STEP = 128;

/** What a record was. */
interface Former {
  readonly key: Uint8Array;
  /** Undefined while only sightings of the record are known: its content is that of the next state. */
  content: FormerRecord | undefined;
  /** The prefix of the earliest sighting, if that is earlier than the content. */
  readonly seen: Uint8Array | undefined;
}

/** The states of records before the first of some batches, which are added in order. */
export class FormerStates {
  readonly #entities = new Map<string, Former>();
  readonly #relationships = new Map<string, Former>();

  get size(): number {
    return this.#entities.size + this.#relationships.size;
  }

  add(record: FormerRecord): void {
    const isEntity = record.key[0] === RECORD_KIND.entity;
    const states = isEntity ? this.#entities : this.#relationships;
    const name = keyText(record.key);
    const known = states.get(name);
    const isSeen = record.was === 'seen';
    if (known === undefined) {
      const content = isSeen ? undefined : record;
      states.set(name, { key: record.key, content, seen: isSeen ? record.value : undefined });
    } else if (!isSeen) known.content ??= record;
  }

  /** Entities precede relationships, which need their ends. */
  *applyTo(graph: MomentGraph): Steps<void> {
    const reversal = new Reversal(graph);
    let rows = 0;
    for (const former of this.#entities.values()) {
      reversal.entity(former);
      if (++rows % ROWS_PER_STEP === 0) yield;
    }
    for (const former of this.#relationships.values()) {
      reversal.relationship(former);
      if (++rows % ROWS_PER_STEP === 0) yield;
    }
  }
}

/** Versions of a copy are not read by number. */
const SEQ = Number.MAX_SAFE_INTEGER;

class Reversal {
  readonly #graph: GraphWriter;
  readonly #records: RecordApplication;
  readonly #prefixes = new PrefixDecoder();

  constructor(graph: GraphWriter) {
    this.#graph = graph;
    this.#records = new RecordApplication(graph);
  }

  entity({ key, content, seen }: Former): void {
    const isPut = content !== undefined && content.was !== 'none';
    const node = isPut ? this.#records.putEntity(SEQ, recordOf(content)) : this.#findEntity(key);
    if (node < 0) return;
    if (content?.was === 'none') {
      const { stamp } = this.#graph.entityState(node);
      this.#graph.deleteEntity(SEQ, node, { ...stamp, deletedAtMs: NEVER_MS });
    }
    if (seen !== undefined) this.#graph.touchEntity(SEQ, node, this.#prefixes.decode(new RecordReader(seen)));
  }

  relationship({ key, content, seen }: Former): void {
    const isPut = content !== undefined && content.was !== 'none';
    const link = isPut ? this.#records.putRelationship(SEQ, recordOf(content)) : this.#findRelationship(key);
    if (link < 0) return;
    if (content?.was === 'none') {
      const { stamp } = this.#graph.relationshipState(link);
      this.#graph.deleteRelationship(SEQ, link, { ...stamp, deletedAtMs: NEVER_MS });
    }
    if (seen !== undefined)
      this.#graph.touchRelationship(SEQ, link, this.#prefixes.decode(new RecordReader(seen)));
  }

  #findEntity(key: Uint8Array): number {
    const { type, key: own } = readEntityKey(key);
    return this.#graph.findEntity(entityId(type, own));
  }

  #findRelationship(key: Uint8Array): number {
    const { from, verb, to, key: own } = readRelationshipKey(key);
    const id = relationshipId(entityId(from.type, from.key), verb, entityId(to.type, to.key), own);
    return this.#graph.findRelationship(id);
  }
}

function recordOf({ key, value, was }: FormerRecord): GraphRecord {
  return { key, value, isDeleted: was === 'deleted' };
}
