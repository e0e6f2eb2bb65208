import type { GraphWriter } from '#graph/memory';
import type { BatchWriter } from '#graph/storage';
import { assert } from '#platform/foundation';
import type { ChangePlan, EntityChange, RelationshipChange } from '../plan/change-plan.ts';
import { writeRelationshipValue } from '../record/content-record.ts';
import { PrefixEncoder } from '../record/record-prefix.ts';
import { type BatchStamp, encodeTime, PartWriter, timeKey, valuesKey } from '../record/history-record.ts';

/** A part is closed above this size: it fits a block of a segment, and readers hold little at once. */
const PART_BYTES = 56 * 1024;

/** The batch that a plan becomes. */
export interface HistoryBatch extends BatchStamp {
  readonly batch: BatchWriter;
  readonly seq: number;
}

/**
 * Writes what a plan is about to replace, from memory, into the plan's own batch, while that is encoded.
 * Memory must not have the plan's changes yet. *Hot path* of ingest: each former content is copied once.
 */
export class HistoryWriter {
  readonly #prefixes = new PrefixEncoder();
  readonly #part = new PartWriter(0);
  #memory: GraphWriter | undefined;
  #into: HistoryBatch | undefined;
  #parts = 0;

  /** Begins a batch, also after one that was not ended. */
  begin({ entities, relationships }: ChangePlan, memory: GraphWriter, into: HistoryBatch): void {
    this.#memory = memory;
    this.#into = into;
    this.#parts = 0;
    this.#part.begin(into.atMs);
    if (entities.size + relationships.size > 0) into.batch.put(timeKey(into.seq), encodeTime(into));
  }

  /** `key` is that of the entity's record. */
  entity(change: EntityChange, key: Uint8Array): void {
    const part = this.#part;
    const isDeletion = change.kind === 'delete';
    const state = change.node < 0 ? undefined : this.#memory?.entityState(change.node);
    if (state === undefined) part.addNew(key);
    else {
      const prefix = this.#prefixes.encode(state.stamp, state.owners);
      if (change.kind === 'touch') part.add({ key, was: 'seen', isDeletion, value: prefix });
      else {
        // As writeEntityValue does, without a copy of the head.
        part.open(key, state.isDeleted, isDeletion).bytes(prefix).slice(state.readHead());
        part.close();
      }
    }
    if (part.length >= PART_BYTES) this.#next();
  }

  /** `key` is that of the relationship's record. */
  relationship(change: RelationshipChange, key: Uint8Array): void {
    const part = this.#part;
    const isDeletion = change.kind === 'delete';
    const state = change.link < 0 ? undefined : this.#memory?.relationshipState(change.link);
    if (state === undefined) part.addNew(key);
    else {
      const prefix = this.#prefixes.encode(state.stamp, state.owners);
      if (change.kind === 'touch') part.add({ key, was: 'seen', isDeletion, value: prefix });
      else {
        const content = { verb: state.verb, propertiesJson: state.propertiesJson() };
        writeRelationshipValue(part.open(key, state.isDeleted, isDeletion), prefix, content);
        part.close();
      }
    }
    if (part.length >= PART_BYTES) this.#next();
  }

  end(): void {
    if (!this.#part.isEmpty) this.#next();
    this.#memory = this.#into = undefined;
  }

  #next(): void {
    assert(this.#into !== undefined, 'expected a batch that was begun');
    const { batch, seq, atMs } = this.#into;
    batch.put(valuesKey(seq, this.#parts++), this.#part.view());
    this.#part.begin(atMs);
  }
}
